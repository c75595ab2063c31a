import * as z from "zod";
import { blockedScore } from "#lib/contract/blocked-content";
import { maxSecurityScore } from "#lib/tracking/security/index";

const count = z.int().min(0);

const metaFields = {
  content_hash: z.string().describe("SHA-256 of the content, in hex."),
  byte_size: count.describe("Size of the content in bytes of UTF-8."),
  line_count: count,
  link_count: count.describe("Distinct absolute http(s) URLs in the content."),
  fetched_at: z.iso.datetime().describe("When the content was last fetched."),
};

export const snapshotMetaSchema = z
  .object(metaFields)
  .meta({ id: "SnapshotMeta", description: "Metadata of a version of a vendor's file." });
export type SnapshotMeta = z.infer<typeof snapshotMetaSchema>;

export const snapshotDetailSchema = z
  .object({
    id: z.guid(),
    ...metaFields,
    http_status: z.int().describe("Status of the response in which the content was first fetched."),
    response_time_ms: count.describe("Duration of that response in milliseconds."),
    security_score: z
      .int()
      .min(0)
      .max(maxSecurityScore)
      .describe(`0 is safe; at ${blockedScore} or more the sandboxed content is withheld.`),
  })
  .meta({ id: "SnapshotDetail", description: "A version of a vendor's file, without its content." });
export type SnapshotDetail = z.infer<typeof snapshotDetailSchema>;

export const vendorContentSchema = z
  .object({ content: z.string().describe("The raw file."), metadata: snapshotMetaSchema })
  .meta({ id: "VendorContent", description: "The latest content of a vendor's file, as it was fetched." });
export type VendorContent = z.infer<typeof vendorContentSchema>;
