import { defineEndpoint } from "#lib/contract/endpoint";
import { cassetteListingSchema } from "./schemas";

export const listCassettesEndpoint = defineEndpoint({
  id: "listCassettes",
  method: "GET",
  path: "/api/v1/cassettes",
  tag: "Replay",
  summary: "List the site's cassettes",
  description: "All cassettes of the site's vertical, ordered by slug, each with the URL that replays it.",
  auth: "none",
  responses: {
    200: {
      description: "The listing.",
      body: {
        type: "application/json",
        schema: cassetteListingSchema,
        example: {
          site: "developer-tools",
          vertical: "developer-tools",
          host: "127.0.0.1:3000",
          count: 1,
          cassettes: [
            {
              slug: "explain-sse",
              vertical: "developer-tools",
              title: "Explain server-sent events",
              subtitle: "A short explanation with a code block (authored)",
              model: "tapedeck-authored",
              cassette_path: "developer-tools/explain-sse.json",
              replay_url: "http://127.0.0.1:3000/api/v1/replay/developer-tools/explain-sse",
              tokens_per_replay: 0,
            },
          ],
        },
      },
    },
  },
  errors: { service_unavailable: "The cassette store does not respond." },
});

export const cassetteEndpoints = [listCassettesEndpoint];
