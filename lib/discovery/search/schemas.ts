import * as z from "zod";
import { flagSchema, wholeNumberSchema } from "#lib/contract/query-schemas";

/** Largest and default number of hits. */
export const maxHitCount = 50;
const defaultHitCount = 10;

export const searchQuerySchema = z.object({
  q: z
    .string({ error: "is required" })
    .min(1, "must not be empty")
    .meta({ description: "Words to search for.", examples: ["break clause"] }),
  limit: wholeNumberSchema({ minimum: 1, maximum: maxHitCount, default: defaultHitCount }, "Maximum number of hits."),
  partial: flagSchema("Whether the last word is still being typed: `true` also finds words that begin with it."),
});

export const backendSchema = z.enum(["in-memory-bm25-lite", "hosted-ai-search"]);

export const searchHitSchema = z
  .object({
    id: z
      .string()
      .meta({
        description:
          "`<folder>/<slug>` of a cassette, `docs/<slug>` of a page of the docs, `site/<path>` of another page of the site, `vendors/<slug>` of a vendor, or `models/<provider>/<id>` of a model.",
      }),
    surface: z.enum(["replay", "page"]).meta({ description: "`replay` for cassettes, `page` for the others." }),
    kind: z
      .enum(["cassette", "page", "site", "vendor", "model"])
      .meta({ description: "`page` is a page of the docs, `site` another page of the site." }),
    title: z.string(),
    url: z.url(),
    replay_url: z.url().optional().meta({ description: "URL that replays the cassette; only in `replay` hits." }),
    score: z.number().meta({ description: "Comparable only within one response." }),
    snippet: z.string().meta({ description: "The best matching passage, as plain text." }),
  })
  .meta({ id: "SearchHit", description: "A cassette, page, vendor or model that matches a search." });
export type SearchHit = z.infer<typeof searchHitSchema>;

export const hintSchema = z
  .string()
  .meta({ description: "What to try if nothing was found; only in a response without hits." });

export const searchAnswerSchema = z
  .object({
    q: z.string(),
    count: z.int().min(0).meta({ description: "Number of hits in this response." }),
    corpus_size: z
      .int()
      .min(0)
      .meta({ description: "Number of cassettes, pages, vendors and models that were searched." }),
    backend: backendSchema,
    hits: z.array(searchHitSchema),
    hint: hintSchema.optional(),
  })
  .meta({ id: "SearchAnswer", description: "The hits of a search, best first." });
export type SearchAnswer = z.infer<typeof searchAnswerSchema>;
