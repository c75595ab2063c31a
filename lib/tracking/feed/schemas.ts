import * as z from "zod";
import { contractTierSchema } from "#lib/accounts/plans/index";
import { wholeNumberSchema } from "#lib/contract/query-schemas";
import { modelChangeSchema } from "#lib/models/index";
import { unknownModelsSchema } from "#lib/tracking/change-filters/index";
import { operationChangeSchema } from "#lib/tracking/operations/index";
import { snapshotMetaSchema } from "#lib/tracking/snapshots/index";
import { filterTextSchema, lastFetchedAtSchema } from "#lib/tracking/vendor-access/index";
import { vendorSummarySchema } from "#lib/tracking/vendors/index";

export const feedQuerySchema = z.object({
  vendor: filterTextSchema.optional().meta({ description: "Only the vendor with this slug.", examples: ["quarrydb"] }),
  since: z.iso
    .datetime({ offset: true, error: "must be a date-time such as 2026-11-21T09:30:00Z" })
    .optional()
    .meta({
      description: "Only entries whose snapshot was fetched after this time.",
      examples: ["2026-11-21T09:30:00Z"],
    }),
  // Validated by `listFeed`, because an invalid cursor has its own error code.
  cursor: z.string().optional().meta({ description: "`_meta.next_cursor` of the previous page.", format: "uuid" }),
  limit: wholeNumberSchema(
    { minimum: 1, maximum: 100, default: 50 },
    "Maximum number of entries to return. Default: 50.",
  ),
});
export type FeedQuery = z.infer<typeof feedQuerySchema>;

const count = z.int().min(0);

const recentChangeSchema = z
  .object({ lines_added: count, lines_removed: count, detected_at: z.iso.datetime() })
  .meta({ id: "RecentChange", description: "Line counts of the vendor's latest change." });

export const diffContentSchema = z
  .object({
    lines_added: count,
    lines_removed: count,
    diff_text: z
      .string()
      .describe(
        "Unified diff. The last line of a truncated one says so. A withheld one is a single line that starts with \\ and says why.",
      ),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "DiffContent", description: "The vendor's latest change with its diff." });
export type DiffContent = z.infer<typeof diffContentSchema>;

export const feedEntrySchema = z
  .object({
    vendor: vendorSummarySchema,
    latest: snapshotMetaSchema.nullable().describe("The latest snapshot; null before the first fetch."),
    recent_change: recentChangeSchema
      .nullable()
      .describe("The latest change within the tier's history; null if there is none."),
    diff_content: diffContentSchema
      .nullable()
      .optional()
      .describe("The change in `recent_change` with its diff. Absent on the free tier."),
  })
  .meta({ id: "FeedEntry", description: "A vendor with its latest snapshot and change." });
export type FeedEntry = z.infer<typeof feedEntrySchema>;

export const feedSchema = z
  .object({
    _meta: z.object({
      service: z.literal("tapedeck"),
      version: z.string().describe("Version of the feed's format."),
      count: count.describe("Entries on this page."),
      next_cursor: z.guid().nullable().describe("The `cursor` of the next page; null on the last page."),
      has_more: z.boolean(),
      vendor_count: count.describe("Vendors on all pages that are visible to the tier and match the filters."),
      tier: contractTierSchema,
      updated_at: z.iso
        .datetime()
        .describe(
          "Time of the newest fetch of the vendors that are visible to the tier, or of `vendor`, whatever `since` is. Before the first fetch, 1970-01-01T00:00:00.000Z.",
        ),
    }),
    feed: z.array(feedEntrySchema),
  })
  .meta({ id: "Feed", description: "A page of the feed." });
export type Feed = z.infer<typeof feedSchema>;

const changeSchema = z
  .object({
    id: z.guid().describe("The diff's id."),
    vendor: vendorSummarySchema,
    lines_added: count,
    lines_removed: count,
    created_at: z.iso.datetime(),
    significance: z.int().min(1).max(5).nullable().describe("Null before the report is written."),
    summary: z
      .string()
      .nullable()
      .describe("Of the report; null before it is written, and if the site does not show it without a key."),
    categories: z.array(z.string()).nullable(),
    url: z.url().describe("The change's page."),
    models: z.array(modelChangeSchema).describe("What a catalogue of models changed of them."),
    operations: z
      .array(operationChangeSchema)
      .describe("What an OpenAPI document changed of its operations, the most significant first."),
  })
  .meta({ id: "Change", description: "A change of a vendor's file or of models." });

export const changeListSchema = z
  .object({
    _meta: z.object({
      count,
      next_cursor: z.guid().nullable(),
      last_fetched_at: lastFetchedAtSchema.optional(),
      unknown_models: unknownModelsSchema,
    }),
    changes: z.array(changeSchema),
  })
  .meta({ id: "ChangeList", description: "Changes, newest first." });
export type ChangeList = z.infer<typeof changeListSchema>;

export const jsonFeedSchema = z
  .object({
    version: z.literal("https://jsonfeed.org/version/1.1"),
    title: z.string(),
    description: z.string(),
    home_page_url: z.url(),
    feed_url: z.url(),
    authors: z.array(z.object({ name: z.string(), url: z.url() })),
    language: z.string(),
    items: z.array(
      z.object({
        id: z.string().describe("`urn:uuid:` and the id of the diff."),
        url: z.url().describe("The change's page."),
        external_url: z.url().describe("The vendor's file."),
        title: z.string(),
        summary: z.string(),
        content_html: z
          .string()
          .describe("The report, the counts, and the added and removed links; all vendor text is escaped."),
        tags: z.array(z.string()).describe("The vendor's category, and those of the report."),
        date_published: z.iso.datetime(),
        date_modified: z.iso.datetime(),
        _tapedeck: z.object({
          diff_url: z.url().describe("The change in the API."),
          significance: z.int().min(1).max(5).nullable().describe("1 to 5; null before the report is written."),
        }),
      }),
    ),
  })
  .meta({ id: "JsonFeed", description: "JSON Feed 1.1." });
export type JsonFeed = z.infer<typeof jsonFeedSchema>;
