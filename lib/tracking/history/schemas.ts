import * as z from "zod";
import { contractTierSchema } from "#lib/accounts/plans/index";
import { wholeNumberSchema } from "#lib/contract/query-schemas";
import { maxListedLinkCount } from "#lib/tracking/diffs/index";
import { snapshotDetailSchema } from "#lib/tracking/snapshots/index";
import { vendorParamsSchema } from "#lib/tracking/vendor-access/index";

const count = z.int().min(0);

export const vendorSnapshotSchema = snapshotDetailSchema
  .extend({ created_at: z.iso.datetime().describe("When the content was first fetched.") })
  .meta({ id: "VendorSnapshot", description: "A version in a vendor's history, without its content." });
export type VendorSnapshot = z.infer<typeof vendorSnapshotSchema>;

export const vendorSnapshotsQuerySchema = z.object({
  cursor: z.string().optional().meta({ description: "`_meta.next_cursor` of the previous page.", format: "uuid" }),
  limit: wholeNumberSchema({ minimum: 1, maximum: 100, default: 50 }, "Maximum number of snapshots to return."),
});

export const vendorSnapshotsSchema = z
  .object({
    _meta: z.object({
      count: count.describe("Snapshots in this response."),
      next_cursor: z.guid().nullable().describe("The `cursor` of the next page; null on the last page."),
      has_more: z.boolean(),
      tier: contractTierSchema,
    }),
    snapshots: z.array(vendorSnapshotSchema),
  })
  .meta({ id: "VendorSnapshots", description: "A page of a vendor's snapshots, newest first." });
export type VendorSnapshots = z.infer<typeof vendorSnapshotsSchema>;

export const snapshotParamsSchema = vendorParamsSchema.extend({
  // Validated by `getSnapshot`, because an invalid id is a 400, and an invalid slug a 404.
  id: z.string().meta({ description: "The snapshot's id.", format: "uuid" }),
});

export const snapshotContentSchema = z
  .object({
    content: z.string().describe("The file, neutralised, in one `vendor-content` element."),
    snapshot: vendorSnapshotSchema,
  })
  .meta({ id: "SnapshotContent", description: "A version of a vendor's file, wrapped for a model." });
export type SnapshotContent = z.infer<typeof snapshotContentSchema>;

const sideSchema = (description: string) =>
  z.guid({ error: "must be the id of a snapshot, a UUID" }).meta({ description });

export const comparisonQuerySchema = z.object({
  from: sideSchema("Id of the snapshot that the diff starts from."),
  to: sideSchema("Id of the snapshot that the diff leads to. It may be the older one."),
});

const directionSchema = z.enum(["older-to-newer", "newer-to-older", "same"]);
export type Direction = z.infer<typeof directionSchema>;

const linksDescription = (side: string) =>
  `Absolute http(s) URLs that only the version \`${side}\` has, as written; the first ${maxListedLinkCount}.`;

export const comparisonSchema = z
  .object({
    _meta: z.object({ tier: contractTierSchema }),
    diff: z.object({
      vendor_slug: z.string(),
      direction: directionSchema.describe("Whether `from` is the older version, the newer one, or the same as `to`."),
      lines_added: count.describe("Lines that only the version `to` has."),
      lines_removed: count.describe("Lines that only the version `from` has."),
      lines_moved: count.describe("Lines of moved blocks. They also count as added and as removed."),
      exact: z.boolean().describe("Whether the diff is known to be the shortest possible."),
      links_added: z.array(z.string()).describe(linksDescription("to")),
      links_removed: z.array(z.string()).describe(linksDescription("from")),
      diff_text: z
        .string()
        .optional()
        .describe(
          "Unified diff of at most 64 KiB, empty for equal contents; from the starter tier on. A truncated one ends with a line that starts with \\, and a withheld one consists of such a line.",
        ),
    }),
    from_snapshot: vendorSnapshotSchema,
    to_snapshot: vendorSnapshotSchema,
  })
  .meta({ id: "SnapshotComparison", description: "The difference between any two snapshots of a vendor." });
export type SnapshotComparison = z.infer<typeof comparisonSchema>;
