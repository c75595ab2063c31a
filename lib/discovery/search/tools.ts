import { z } from "zod";
import { firstFitting } from "#lib/contract/fit-json";
import { defineTool, maxResultLength, reads } from "#lib/contract/tool";
import { backendSchema, maxHitCount, searchHitSchema } from "./schemas";
import { type SearchContext, search } from "./search";

/** Longest query, in characters. */
const maxQueryLength = 1_000;

const searchTool = defineTool({
  name: "search",
  title: "Search cassettes and documentation",
  description:
    'Searches the cassettes (recorded or authored model responses) and documentation pages of this site. Returns the best hits first, each with its best matching passage. Call replay_cassette with the id of a "replay" hit, or get_guide with a "page" hit. To find tracked vendors, use search_vendors. Example: {"query": "break clause notice", "limit": 5}.',
  annotations: reads,
  input: z.strictObject({
    query: z.string().min(1).max(maxQueryLength).meta({ description: "Words to search for, in English." }),
    limit: z.int().min(1).max(maxHitCount).default(10).meta({ description: "Maximum number of hits." }),
  }),
  output: z.object({
    query: z.string(),
    corpus_size: z.int(),
    backend: backendSchema,
    hits: z.array(searchHitSchema),
  }),
  async run(context: SearchContext, { query, limit }) {
    const { corpus_size, backend, hits } = await search(context, { q: query, limit });
    return { query, corpus_size, backend, hits: firstFitting(hits, maxResultLength) };
  },
});

export const searchTools = [searchTool];
