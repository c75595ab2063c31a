import { z } from "zod";
import { defineTool, maxResultLength, reads } from "#lib/contract/tool";
import { backendSchema, maxHitCount, searchHitSchema } from "./schemas";
import { type SearchContext, search } from "./search";

/** Longest query that a tool takes, in characters. */
const maxQueryLength = 1_000;

/** As many of the first items as fit into a result. */
function fitting<Item>(items: readonly Item[]): Item[] {
  let length = 0;
  return items.filter((item) => {
    length += JSON.stringify(item).length;
    return length <= maxResultLength;
  });
}

const searchTool = defineTool({
  name: "search",
  title: "Search recordings and documentation",
  description:
    'Finds recorded model responses and documentation pages of this site by words, best first, each with the passage that fits. Use it to find what to replay or read; then call replay_cassette with the id of a "replay" hit, or get_guide with a "page" hit. To find tracked vendors use search_vendors. Example: {"query": "break clause notice", "limit": 5}.',
  annotations: reads,
  input: z.object({
    query: z.string().min(1).max(maxQueryLength).meta({ description: "What to look for, in English words." }),
    limit: z.int().min(1).max(maxHitCount).default(10).meta({ description: "Most hits." }),
  }),
  output: z.object({
    query: z.string(),
    corpus_size: z.int(),
    backend: backendSchema,
    hits: z.array(searchHitSchema),
  }),
  async run(context: SearchContext, { query, limit }) {
    const { corpus_size, backend, hits } = await search(context, { q: query, limit });
    return { query, corpus_size, backend, hits: fitting(hits) };
  },
});

export const searchTools = [searchTool];
