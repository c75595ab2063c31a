import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";
import { searchAnswerSchema, searchQuerySchema } from "./schemas";

export const searchEndpoint = defineEndpoint({
  id: "searchSite",
  method: "GET",
  path: "/api/v1/search",
  tag: "Replay",
  summary: "Search the site",
  description:
    "Ranks the site's cassettes (title, prompt, assistant text), the documentation pages, the other pages of the site (title, description), the vendors that everyone sees (name, domain, latest report), and the models of the catalogue (name, id). The query is split into lower-case words of a-z0-9 with at least two characters, without stopwords. If no words are left, there are no hits. A word that is nowhere found stands for words that differ by one letter, else for those that begin with it.",
  auth: "none",
  query: searchQuerySchema,
  responses: {
    200: jsonResponse(
      "The hits, best first. On ties, `replay` comes before `page`, then the order is by id.",
      searchAnswerSchema,
      {
        q: "server-sent events",
        count: 1,
        corpus_size: 35,
        backend: "in-memory-bm25-lite",
        hits: [
          {
            id: "developer-tools/explain-sse",
            surface: "replay",
            kind: "cassette",
            title: "How server-sent events work",
            url: "http://127.0.0.1:3000/replay/developer-tools/explain-sse",
            replay_url: "http://127.0.0.1:3000/api/v1/replay/developer-tools/explain-sse",
            score: 7.412,
            snippet: "Server-sent events are one HTTP response that does not end.",
          },
        ],
      },
    ),
  },
  errors: {
    bad_request: "`q` is missing or empty, or `limit` is not a whole number from 1 to 50.",
    service_unavailable: "The cassette store does not respond.",
  },
});

export const searchEndpoints = [searchEndpoint];
