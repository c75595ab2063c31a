import { z } from "zod";

/** Most hits of an answer, and how many it has if nobody says. */
export const maxHitCount = 50;
const defaultHitCount = 10;

function isHitCount(text: string): boolean {
  return /^\d{1,9}$/.test(text) && Number(text) >= 1 && Number(text) <= maxHitCount;
}

export const searchQuerySchema = z.object({
  q: z
    .string({ error: "is required" })
    .min(1, "must not be empty")
    .meta({ description: "What to look for, in words.", examples: ["break clause"] }),
  limit: z
    .string()
    .refine(isHitCount, { error: `must be a whole number from 1 to ${maxHitCount}` })
    .transform(Number)
    .default(defaultHitCount)
    .meta({ description: "Most hits.", type: "integer", minimum: 1, maximum: maxHitCount, default: defaultHitCount }),
});
export type SearchQuery = z.infer<typeof searchQuerySchema>;

export const backendSchema = z.enum(["in-memory-bm25-lite", "hosted-ai-search"]);

export const searchHitSchema = z
  .object({
    id: z.string().meta({ description: "`<vertical>/<slug>` of a cassette, `docs/<slug>` of a page." }),
    surface: z.enum(["replay", "page"]),
    title: z.string(),
    url: z.url(),
    replay_url: z.url().optional().meta({ description: "Address that replays the cassette; on `replay` hits only." }),
    score: z.number().meta({ description: "Comparable within one answer only." }),
    snippet: z.string().meta({ description: "Plain text: the passage that fits best." }),
  })
  .meta({ id: "SearchHit", description: "A cassette or page that fits a search." });
export type SearchHit = z.infer<typeof searchHitSchema>;

export const searchAnswerSchema = z
  .object({
    q: z.string(),
    count: z.int().min(0).meta({ description: "Hits in this answer." }),
    corpus_size: z.int().min(0).meta({ description: "Cassettes and pages that were searched." }),
    backend: backendSchema,
    hits: z.array(searchHitSchema),
  })
  .meta({ id: "SearchAnswer", description: "What a search found, best first." });
export type SearchAnswer = z.infer<typeof searchAnswerSchema>;
