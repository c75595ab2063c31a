import * as z from "zod";
import { contractTierSchema } from "#lib/accounts/plans/index";
import { wholeNumberSchema } from "#lib/contract/query-schemas";
import { operationChangeSchema } from "#lib/tracking/operations/index";
import { lastFetchedAtSchema } from "#lib/tracking/vendor-access/index";

export const diffParamsSchema = z.object({ id: z.guid({ error: "must be a UUID" }).describe("The diff's id.") });

const count = z.int().min(0);
const lineCounts = { lines_added: count, lines_removed: count };

/** Most changes of operations of a diff in a list. */
export const maxListedOperationCount = 20;

/** Most added links, and most removed links, of a diff in a list. */
export const maxListedLinkCount = 1_000;

const diffDetailFields = {
  id: z.guid(),
  previous_snapshot_id: z.guid(),
  current_snapshot_id: z.guid(),
  ...lineCounts,
  links_added: z
    .array(z.string())
    .describe(`Absolute http(s) URLs that only the newer version has, as written; the first ${maxListedLinkCount}.`),
  links_removed: z
    .array(z.string())
    .describe(`Absolute http(s) URLs that only the older version has, as written; the first ${maxListedLinkCount}.`),
  created_at: z.iso.datetime(),
};

export const diffDetailSchema = z
  .object(diffDetailFields)
  .meta({ id: "DiffDetail", description: "Line counts and links of the change between two consecutive snapshots." });
export type DiffDetail = z.infer<typeof diffDetailSchema>;

const vendorDiffSchema = z
  .object({
    ...diffDetailFields,
    lines_moved: count.describe("Lines of moved blocks. They also count as added and as removed."),
    exact: z.boolean().describe("Whether the diff is known to be the shortest possible."),
    operations: z
      .array(operationChangeSchema)
      .optional()
      .describe(
        `What an OpenAPI document changed of its operations: the ${maxListedOperationCount} most significant. \`GET /api/v1/diffs/{id}\` has all.`,
      ),
    diff_text: z
      .string()
      .optional()
      .describe(
        "Unified diff of at most 64 KiB; from the starter tier on. A truncated one ends with a line that starts with \\, and a withheld one consists of such a line.",
      ),
  })
  .meta({ id: "VendorDiff", description: "A diff in a vendor's history." });
export type VendorDiff = z.infer<typeof vendorDiffSchema>;

export const vendorDiffsSchema = z
  .object({
    _meta: z.object({
      count: count.describe("Diffs in this response."),
      next_cursor: z.guid().nullable().describe("The `cursor` of the next page; null on the last page."),
      has_more: z.boolean(),
      tier: contractTierSchema,
      last_fetched_at: lastFetchedAtSchema,
    }),
    diffs: z.array(vendorDiffSchema),
  })
  .meta({ id: "VendorDiffs", description: "A page of a vendor's diffs, newest first." });
export type VendorDiffs = z.infer<typeof vendorDiffsSchema>;

const diffDetailEndpointSchema = z
  .object({
    id: z.guid(),
    vendor_slug: z.string(),
    ...lineCounts,
    links_added: z.array(z.url()).describe("Absolute http(s) URLs that only the newer version has."),
    links_removed: z.array(z.url()).describe("Absolute http(s) URLs that only the older version has."),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "DiffDetailEndpoint", description: "A diff with all its links as URIs." });

export const diffSnapshotMetaSchema = z
  .object({ id: z.guid(), byte_size: count, line_count: count, fetched_at: z.iso.datetime() })
  .meta({ id: "DiffSnapshotMeta", description: "One side of a diff." });
export type DiffSnapshotMeta = z.infer<typeof diffSnapshotMetaSchema>;

export const diffAnswerSchema = z
  .object({
    diff: diffDetailEndpointSchema,
    previous_snapshot: diffSnapshotMetaSchema,
    current_snapshot: diffSnapshotMetaSchema,
    operations: z
      .array(operationChangeSchema)
      .optional()
      .describe("What an OpenAPI document changed of its operations, the most significant first."),
  })
  .meta({ id: "DiffAnswer", description: "A diff and the two snapshots that it compares." });
export type DiffAnswer = z.infer<typeof diffAnswerSchema>;

export const vendorDiffsQuerySchema = z.object({
  cursor: z.string().optional().meta({ description: "`_meta.next_cursor` of the previous page.", format: "uuid" }),
  limit: wholeNumberSchema({ minimum: 1, maximum: 100, default: 50 }, "Maximum number of diffs to return."),
});
