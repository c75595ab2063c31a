import * as z from "zod";
import { defineEndpoint, eventStreamBody, jsonResponse } from "#lib/contract/endpoint";
import { listingQuerySchema } from "./list-cassettes";
import { cassetteListingSchema, slugSchema } from "./schemas";

export const listCassettesEndpoint = defineEndpoint({
  id: "listCassettes",
  method: "GET",
  path: "/api/v1/cassettes",
  tag: "Replay",
  summary: "List cassettes",
  description:
    "The cassettes of a vertical, by default the site's, of another folder, or of all, ordered by folder and slug, each with the URL that replays it. A store without verticals is listed whole.",
  auth: "none",
  query: listingQuerySchema,
  responses: {
    200: jsonResponse("The listing.", cassetteListingSchema, {
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
          protocol: "anthropic",
          end: "complete",
          turn: 1,
          turns: 1,
          tools: [],
          request: { method: "POST", path: "/v1/messages", model: "tapedeck-authored" },
          provenance: "authored",
          duration_ms: 4120,
          chunk_count: 96,
          byte_size: 14210,
        },
      ],
    }),
  },
  errors: {
    bad_request: "`vertical` or `protocol` is unknown, or given twice.",
    service_unavailable: "The cassette store does not respond.",
  },
});

export const downloadCassetteEndpoint = defineEndpoint({
  id: "downloadCassette",
  method: "GET",
  path: "/api/v1/cassettes/{vertical}/{cookbook}",
  tag: "Replay",
  summary: "Download a cassette",
  description:
    "Returns the cassette's file as it is stored: the request without secrets, and the response as timed chunks. Files of recorded and imported cassettes are only shared with `CASSETTE_DOWNLOADS=all`. With `part=body`, returns the recorded body alone, all chunks joined, with its own content type and always with status 200.",
  auth: "none",
  params: z.object({
    vertical: slugSchema.meta({ description: "A vertical, or another folder of the store.", examples: ["legal"] }),
    cookbook: slugSchema.meta({ description: "The cassette's slug within the vertical.", examples: ["nda-review"] }),
  }),
  query: z.object({
    part: z
      .literal("body", { error: 'can only be "body"' })
      .optional()
      .describe("`body`: the recorded body alone, such as an event stream."),
  }),
  responses: {
    200: {
      description: "The file.",
      headers: {
        "Content-Disposition": { description: "`attachment`, with a file name.", schema: { type: "string" } },
      },
      body: {
        type: "application/json",
        schema: z.looseObject({}).describe("A file of the cassette format, or with `part=body` the body."),
        example: { schema: "cassette/2", id: "legal/nda-review" },
      },
      otherBodies: [eventStreamBody('event: message_start\ndata: {"type":"message_start"}\n\n')],
    },
  },
  errors: {
    bad_request: "`part` is not `body`.",
    forbidden: "The cassette was recorded or imported, and the server does not share such files.",
    not_found: "There is no such cassette.",
    service_unavailable: "No cassette store is configured, or it does not respond.",
  },
});

export const cassetteEndpoints = [listCassettesEndpoint, downloadCassetteEndpoint];
