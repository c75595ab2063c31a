import { z } from "zod";
import { contractTierSchema } from "#lib/accounts/plans/index";
import { wholeNumberSchema } from "#lib/contract/query-schemas";
import { intelligenceCategorySchema } from "./analysis";

const analysisModeSchema = z.enum(["realtime", "batch", "full"]);
export type AnalysisMode = z.infer<typeof analysisModeSchema>;

const lists = z.array(z.string());

export const intelligenceReportSchema = z
  .object({
    id: z.guid(),
    vendor: z.object({ name: z.string(), slug: z.string(), domain: z.string() }),
    summary: z.string(),
    significance: z.int().min(1).max(5).meta({ description: "1 trivial formatting to 5 breaking API change." }),
    categories: z.array(intelligenceCategorySchema),
    sections_added: lists.meta({ description: "Headings with those above them, such as `Guides > Authentication`." }),
    sections_removed: lists,
    sections_modified: lists,
    key_quotes: lists.meta({
      description: "Lines that stand in the content word for word; of the older version where nothing was added.",
    }),
    byte_size_change_pct: z.number(),
    analysis_mode: analysisModeSchema.meta({
      description:
        "`realtime`: as the change came in; `batch`: by the job; `full`: of a first version, or anew on demand.",
    }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "IntelligenceReport", description: "What a change means." });
export type IntelligenceReport = z.infer<typeof intelligenceReportSchema>;

/** Most reports of an answer. */
const maxLimit = 100;

export const intelligenceQuerySchema = z.object({
  vendor: z
    .string()
    .max(200, "must have at most 200 characters")
    .refine((slug) => !slug.includes("\0"), "must not contain NUL")
    .optional()
    .meta({ description: "Slug of the one vendor to show; an unknown one gives no reports.", examples: ["quarrydb"] }),
  since: z.iso
    .datetime({ offset: true, error: "must be a date-time such as 2026-11-21T09:30:00Z" })
    .optional()
    .meta({ description: "Only reports from then on; what lies before the tier's history is moved to its beginning." }),
  min_significance: wholeNumberSchema({ minimum: 1, maximum: 5, default: 1 }, "Least significance."),
  category: intelligenceCategorySchema.optional().meta({ description: "Only reports of this category." }),
  limit: z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text) && Number(text) >= 1, { error: "must be a whole number from 1 on" })
    .transform((text) => Math.min(Number(text), maxLimit))
    .default(50)
    .meta({
      description: `Most reports; more than ${maxLimit} are ${maxLimit}.`,
      ...{ type: "integer", minimum: 1, maximum: maxLimit },
    }),
});
export type IntelligenceQuery = z.infer<typeof intelligenceQuerySchema>;

export const intelligenceSchema = z
  .object({
    _meta: z.object({
      service: z.literal("tapedeck"),
      tier: contractTierSchema,
      count: z.int().min(0),
      filters: z.object({
        vendor: z.string().nullable(),
        since: z.iso.datetime().nullable().meta({ description: "As it was applied; null: from the beginning." }),
        min_significance: z.int(),
        category: intelligenceCategorySchema.nullable(),
        limit: z.int(),
        history_days: z.int().nullable().meta({ description: "Days of history that the tier sees; null: all." }),
      }),
    }),
    intelligence: z.array(intelligenceReportSchema),
  })
  .meta({ id: "Intelligence", description: "Reports, the newest first." });
export type Intelligence = z.infer<typeof intelligenceSchema>;
