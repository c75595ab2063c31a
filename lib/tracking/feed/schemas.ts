import { z } from "zod";
import { contractTierSchema } from "#lib/accounts/plans/index";
import { snapshotMetaSchema } from "#lib/tracking/snapshots/index";
import { vendorSummarySchema } from "#lib/tracking/vendors/index";

/** Entries of a page: what is given where nothing is asked, and the most that can be asked. */
const defaultPageSize = 50;
const maxPageSize = 100;

const pageSizePattern = /^\d{1,3}$/;

function isPageSize(text: string): boolean {
  return pageSizePattern.test(text) && Number(text) >= 1 && Number(text) <= maxPageSize;
}

export const feedQuerySchema = z.object({
  // The database takes no NUL.
  vendor: z
    .string()
    .max(200, "must have at most 200 characters")
    .refine((slug) => !slug.includes("\0"), "must not contain NUL")
    .optional()
    .meta({
      description: "Slug of the one vendor to show; an unknown one gives an empty feed.",
      examples: ["quarrydb"],
    }),
  since: z.iso
    .datetime({ offset: true, error: "must be a date-time such as 2026-11-21T09:30:00Z" })
    .optional()
    .meta({ description: "Only entries whose snapshot was fetched after it.", examples: ["2026-11-21T09:30:00Z"] }),
  // Checked by the verb, because a malformed one has a code of its own.
  cursor: z.string().optional().meta({ description: "`_meta.next_cursor` of the page before.", format: "uuid" }),
  limit: z
    .string()
    .refine(isPageSize, { error: `must be a whole number from 1 to ${maxPageSize}` })
    .transform(Number)
    .default(defaultPageSize)
    .meta({
      description: `Most entries of the page; ${defaultPageSize} if absent.`,
      ...{ type: "integer", minimum: 1, maximum: maxPageSize },
    }),
});
export type FeedQuery = z.infer<typeof feedQuerySchema>;

const count = z.int().min(0);

const recentChangeSchema = z
  .object({ lines_added: count, lines_removed: count, detected_at: z.iso.datetime() })
  .meta({ id: "RecentChange", description: "The vendor's latest change, in short." });

export const diffContentSchema = z
  .object({
    lines_added: count,
    lines_removed: count,
    diff_text: z.string().meta({ description: "Unified diff; a long one is cut, and its last line says so." }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "DiffContent", description: "The vendor's latest change, with its lines." });
export type DiffContent = z.infer<typeof diffContentSchema>;

export const feedEntrySchema = z
  .object({
    vendor: vendorSummarySchema,
    latest: snapshotMetaSchema.nullable().meta({ description: "The latest snapshot; null before the first fetch." }),
    recent_change: recentChangeSchema
      .nullable()
      .meta({ description: "The latest change within the tier's history, else null." }),
    diff_content: diffContentSchema
      .nullable()
      .optional()
      .meta({ description: "Absent on the free tier. The same change as `recent_change`, with its lines." }),
  })
  .meta({ id: "FeedEntry", description: "A vendor with its latest snapshot and change." });
export type FeedEntry = z.infer<typeof feedEntrySchema>;

export const feedSchema = z
  .object({
    _meta: z.object({
      service: z.literal("tapedeck"),
      version: z.string().meta({ description: "Version of the feed's format." }),
      count: count.meta({ description: "Entries of this page." }),
      next_cursor: z.guid().nullable().meta({ description: "Where the next page begins; null on the last." }),
      has_more: z.boolean(),
      vendor_count: count.meta({ description: "Vendors that the tier sees under the given filters, on all pages." }),
      tier: contractTierSchema,
      updated_at: z.iso.datetime().meta({
        description: "The newest fetch of those vendors. Without one: `since` if it was given, else the build's date.",
      }),
    }),
    feed: z.array(feedEntrySchema),
  })
  .meta({ id: "Feed", description: "A page of the feed." });
export type Feed = z.infer<typeof feedSchema>;

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
        id: z.string().meta({ description: "`urn:uuid:` and the id of the diff." }),
        url: z.url().meta({ description: "The change's page." }),
        external_url: z.url().meta({ description: "The vendor's file." }),
        title: z.string(),
        summary: z.string(),
        content_html: z.string().meta({ description: "The links that came and went; texts of vendors are escaped." }),
        tags: z.array(z.string()).meta({ description: "The vendor's category." }),
        date_published: z.iso.datetime(),
        date_modified: z.iso.datetime(),
        _tapedeck: z.object({ diff_url: z.url().meta({ description: "The change in the API." }) }),
      }),
    ),
  })
  .meta({ id: "JsonFeed", description: "JSON Feed 1.1." });
export type JsonFeed = z.infer<typeof jsonFeedSchema>;
