import type { Caller } from "#lib/accounts/keys/index";
import { explainBlocked } from "#lib/contract/blocked-content";
import { pageJsonText } from "#lib/contract/fit-json";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { isVisibleTo, vendorNotFound } from "#lib/tracking/vendor-access/index";
import { neutraliseWrapper, wrapContent, wrapNeutralised } from "./neutralise-wrapper";
import type { SnapshotDetail, SnapshotMeta, VendorContent } from "./schemas";
import {
  findLatestSnapshot,
  findSnapshots,
  type LatestSnapshot,
  readSnapshotText,
  type SnapshotMetaRow,
} from "./store";

/** Returns the metadata of a snapshot in API form. */
export function toSnapshotMeta({
  contentHash,
  byteSize,
  lineCount,
  linkCount,
  fetchedAt,
}: SnapshotMetaRow): SnapshotMeta {
  return {
    content_hash: contentHash,
    byte_size: byteSize,
    line_count: lineCount,
    link_count: linkCount,
    fetched_at: fetchedAt.toISOString(),
  };
}

/** Returns the latest snapshots of a vendor, newest first, without their content. */
export async function latestSnapshots(client: Database, vendorId: string, limit: number): Promise<SnapshotDetail[]> {
  const snapshots = await findSnapshots(client, vendorId, limit);
  return snapshots.map(({ id, httpStatus, responseTimeMs, securityScore, ...meta }) => ({
    id,
    ...toSnapshotMeta(meta),
    http_status: httpStatus,
    response_time_ms: responseTimeMs,
    security_score: securityScore,
  }));
}

type ContentContext = { caller: Caller; database: Database };

/** What errors tell the client to do next: where to find slugs, and where to find vendors with a snapshot. */
type Hints = { unknownVendor?: string; noSnapshot?: string };

/** Returns the latest snapshot of a vendor that the caller sees. Throws AppError not_found. */
async function requireLatestSnapshot(
  { caller, database }: ContentContext,
  slug: string,
  hints: Hints = {},
): Promise<LatestSnapshot> {
  const vendor = await findLatestSnapshot(database, slug);
  if (!vendor || !isVisibleTo(vendor, caller)) throw vendorNotFound(slug, hints.unknownVendor);
  if (vendor.latestSnapshot) return vendor.latestSnapshot;
  const message = `The vendor "${slug}" has not been fetched yet.`;
  throw new AppError("not_found", hints.noSnapshot ? `${message} ${hints.noSnapshot}` : message);
}

/** Returns the latest content of a vendor that the caller sees, as it was fetched. Throws AppError not_found. */
export async function getContent(
  context: ContentContext,
  { params: { slug } }: { params: { slug: string } },
): Promise<VendorContent> {
  const latest = await requireLatestSnapshot(context, slug);
  return { content: await readSnapshotText(context.database, latest.id), metadata: toSnapshotMeta(latest) };
}

/** Wrapped content and the headers of its response. */
type SandboxedContent = { text: string; headers: Record<string, string> };

/**
 * Returns the latest content of a vendor that the caller sees, wrapped for a model. Throws AppError not_found, and forbidden
 * if the content's security score is `blockedScore` or more.
 */
export async function getSandboxedContent(
  context: ContentContext,
  { params: { slug } }: { params: { slug: string } },
): Promise<SandboxedContent> {
  const { id, securityScore } = await requireLatestSnapshot(context, slug);
  const headers = { "X-Content-Security-Score": String(securityScore) };
  const blocked = explainBlocked(`The content of "${slug}"`, securityScore);
  if (blocked) throw new AppError("forbidden", blocked, { headers });
  return { text: wrapContent(slug, await readSnapshotText(context.database, id)), headers };
}

type PartInput = {
  slug: string;
  /** `nextCursor` of the previous part; null for the first part. */
  cursor: string | null;
  /** Longest part, in characters of its JSON encoding. */
  maxLength: number;
};

/** A part of a vendor's latest content, in the kind that the caller's tier includes. */
type ContentPart = {
  kind: "sandboxed" | "raw";
  content: string;
  nextCursor: string | null;
  securityScore: number;
  metadata: SnapshotMeta;
};

const toolHints: Hints = {
  unknownVendor: "Call search_vendors to find slugs.",
  noSnapshot: "Call list_vendors for vendors with a snapshot.",
};

/**
 * Returns a part of the latest content of a vendor that the caller sees: raw if its tier includes that, otherwise
 * sandboxed. Sandboxed content is neutralised as a whole before it is divided, and each part has its own wrapper. Throws
 * AppError not_found, forbidden (sandboxed content with a score of `blockedScore` or more) and invalid_cursor.
 */
export async function getContentPart(
  context: ContentContext,
  { slug, cursor, maxLength }: PartInput,
): Promise<ContentPart> {
  const isRaw = context.caller.plan.apiAccess;
  const { id, securityScore, ...meta } = await requireLatestSnapshot(context, slug, toolHints);
  const blocked = isRaw ? undefined : explainBlocked(`The content of "${slug}"`, securityScore);
  if (blocked)
    throw new AppError("forbidden", `${blocked} Continue without it, or use search_vendors for another vendor.`);
  const text = await readSnapshotText(context.database, id);
  const page = pageJsonText(isRaw ? text : neutraliseWrapper(text), { cursor, maxLength });
  return {
    kind: isRaw ? "raw" : "sandboxed",
    content: isRaw ? page.text : wrapNeutralised(slug, page.text),
    nextCursor: page.nextCursor,
    securityScore,
    metadata: toSnapshotMeta(meta),
  };
}
