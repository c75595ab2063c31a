import { z } from "zod";

const count = z.int().min(0);

export const snapshotMetaSchema = z
  .object({
    content_hash: z.string().meta({ description: "SHA-256 of the content, in hex." }),
    byte_size: count.meta({ description: "Size of the content in bytes of UTF-8." }),
    line_count: count,
    link_count: count.meta({ description: "Different absolute http(s) URLs in the content." }),
    fetched_at: z.iso.datetime().meta({ description: "When the content was last seen." }),
  })
  .meta({ id: "SnapshotMeta", description: "A version of a vendor's file, in short." });
export type SnapshotMeta = z.infer<typeof snapshotMetaSchema>;
