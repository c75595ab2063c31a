import { z } from "zod";
import { wholeNumberSchema } from "#lib/contract/query-schemas";

/** Largest and default number of hits. */
export const maxHitCount = 50;
const defaultHitCount = 10;

export const searchQuerySchema = z.object({
  q: z
    .string({ error: "is required" })
    .min(1, "must not be empty")
    .meta({ description: "Words to search for.", examples: ["break clause"] }),
  limit: wholeNumberSchema({ minimum: 1, maximum: maxHitCount, default: defaultHitCount }, "Maximum number of hits."),
});

export const backendSchema = z.enum(["in-memory-bm25-lite", "hosted-ai-search"]);

export const searchHitSchema = z
  .object({
    id: z.string().meta({ description: "`<folder>/<slug>` of a cassette, or `docs/<slug>` of a page." }),
    surface: z.enum(["replay", "page"]),
    title: z.string(),
    url: z.url(),
    replay_url: z.url().optional().meta({ description: "URL that replays the cassette; only in `replay` hits." }),
    score: z.number().meta({ description: "Comparable only within one response." }),
    snippet: z.string().meta({ description: "The best matching passage, as plain text." }),
  })
  .meta({ id: "SearchHit", description: "A cassette or page that matches a search." });
export type SearchHit = z.infer<typeof searchHitSchema>;

export const searchAnswerSchema = z
  .object({
    q: z.string(),
    count: z.int().min(0).meta({ description: "Number of hits in this response." }),
    corpus_size: z.int().min(0).meta({ description: "Number of cassettes and pages that were searched." }),
    backend: backendSchema,
    hits: z.array(searchHitSchema),
  })
  .meta({ id: "SearchAnswer", description: "The hits of a search, best first." });
export type SearchAnswer = z.infer<typeof searchAnswerSchema>;
