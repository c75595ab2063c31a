import { z } from "zod";

const count = z.int().min(0);

const metaFields = {
  content_hash: z.string().meta({ description: "SHA-256 of the content, in hex." }),
  byte_size: count.meta({ description: "Size of the content in bytes of UTF-8." }),
  line_count: count,
  link_count: count.meta({ description: "Different absolute http(s) URLs in the content." }),
  fetched_at: z.iso.datetime().meta({ description: "When the content was last seen." }),
};

export const snapshotMetaSchema = z
  .object(metaFields)
  .meta({ id: "SnapshotMeta", description: "A version of a vendor's file, in short." });
export type SnapshotMeta = z.infer<typeof snapshotMetaSchema>;

/** Security scores: 0 is safe, and sandboxed content is refused from `blockedScore` on. */
export const maxSecurityScore = 5;
export const blockedScore = 3;

export const snapshotDetailSchema = z
  .object({
    id: z.guid(),
    ...metaFields,
    http_status: z.int().meta({ description: "Status of the answer that brought the content first." }),
    response_time_ms: count.meta({ description: "How long that answer took." }),
    security_score: z
      .int()
      .min(0)
      .max(maxSecurityScore)
      .meta({ description: `0 is safe; from ${blockedScore} on the sandboxed content is refused.` }),
  })
  .meta({ id: "SnapshotDetail", description: "A version of a vendor's file, without its content." });
export type SnapshotDetail = z.infer<typeof snapshotDetailSchema>;

export const vendorContentSchema = z
  .object({ content: z.string().meta({ description: "The raw file." }), metadata: snapshotMetaSchema })
  .meta({ id: "VendorContent", description: "The latest content of a vendor's file, as it was fetched." });
export type VendorContent = z.infer<typeof vendorContentSchema>;
