import * as z from "zod";
import { contractTierSchema } from "#lib/accounts/plans/index";
import { wholeNumberSchema } from "#lib/contract/query-schemas";
import { intelligenceCategorySchema } from "#lib/tracking/report-categories/index";
import { filterTextSchema, lastFetchedAtSchema } from "#lib/tracking/vendor-access/index";

const analysisModeSchema = z.enum(["realtime", "batch", "full"]);
export type AnalysisMode = z.infer<typeof analysisModeSchema>;

const lists = z.array(z.string());

export const intelligenceReportSchema = z
  .object({
    id: z.guid(),
    vendor: z.object({ name: z.string(), slug: z.string(), domain: z.string() }),
    summary: z.string(),
    significance: z.int().min(1).max(5).describe("From 1 (trivial formatting) to 5 (breaking API change)."),
    categories: z.array(intelligenceCategorySchema),
    sections_added: lists.describe("Heading paths, such as `Guides > Authentication`."),
    sections_removed: lists,
    sections_modified: lists,
    key_quotes: lists.describe("Verbatim quotes from the newer version, or from the older one if nothing was added."),
    byte_size_change_pct: z.number(),
    analysis_mode: analysisModeSchema.describe(
      "`realtime`: when the change was fetched; `batch`: by the analysis job; `full`: for a first version, or repeated on demand.",
    ),
    created_at: z.iso.datetime(),
    diff_id: z.guid().nullable().describe("The change; null for a first version or a removed file."),
  })
  .meta({ id: "IntelligenceReport", description: "Report on the meaning of a change." });
export type IntelligenceReport = z.infer<typeof intelligenceReportSchema>;

const maxLimit = 100;

export const intelligenceQuerySchema = z.object({
  vendor: filterTextSchema
    .optional()
    .meta({ description: "Only reports of the vendor with this slug.", examples: ["quarrydb"] }),
  since: z.iso
    .datetime({ offset: true, error: "must be a date-time such as 2026-11-21T09:30:00Z" })
    .optional()
    .describe("Only reports from this time on. A time before the tier's history is moved to its start."),
  min_significance: wholeNumberSchema({ minimum: 1, maximum: 5, default: 1 }, "Minimum significance."),
  category: intelligenceCategorySchema.optional().describe("Only reports of this category."),
  limit: z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text) && Number(text) >= 1, { error: "must be a whole number of at least 1" })
    .transform((text) => Math.min(Number(text), maxLimit))
    .default(50)
    .meta({
      description: `Maximum number of reports to return. Values over ${maxLimit} are treated as ${maxLimit}.`,
      type: "integer",
      minimum: 1,
    }),
  cursor: z.string().optional().meta({ description: "`_meta.next_cursor` of the previous page.", format: "uuid" }),
});
export type IntelligenceQuery = z.infer<typeof intelligenceQuerySchema>;

export const intelligenceSchema = z
  .object({
    _meta: z.object({
      service: z.literal("tapedeck"),
      tier: contractTierSchema,
      count: z.int().min(0).describe("Reports on this page."),
      next_cursor: z.guid().nullable().describe("The `cursor` of the next page; null on the last page."),
      last_fetched_at: lastFetchedAtSchema.optional(),
      filters: z.object({
        vendor: z.string().nullable(),
        since: z.iso.datetime().nullable().describe("The time that was applied; null: no limit."),
        min_significance: z.int(),
        category: intelligenceCategorySchema.nullable(),
        limit: z.int(),
        history_days: z.int().nullable().describe("Days of reports that the tier includes; null: all."),
      }),
    }),
    intelligence: z.array(intelligenceReportSchema),
  })
  .meta({ id: "Intelligence", description: "Reports, newest first." });
export type Intelligence = z.infer<typeof intelligenceSchema>;
