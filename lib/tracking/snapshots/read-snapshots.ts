import type { Caller } from "#lib/accounts/keys/index";
import { explainBlocked } from "#lib/contract/blocked-content";
import { pageJsonText } from "#lib/contract/fit-json";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { isVisibleTo, vendorNotFound } from "#lib/tracking/vendor-access/index";
import type { SnapshotDetail, SnapshotMeta, VendorContent } from "./schemas";
import {
  findFailure,
  findLatestSnapshot,
  findSnapshots,
  type LatestSnapshot,
  readSnapshotText,
  type SnapshotMetaRow,
  type SnapshotRow,
} from "./store";

/**
 * Characters that a parser or a model may ignore within a tag: white space, controls, characters without width, and
 * combining marks.
 */
const gap = "\\s\\p{Cc}\\p{Cf}\\p{Cn}\\p{M}\\p{Default_Ignorable_Code_Point}";
/** Before the tag's name, slashes may occur too. */
const lead = `${gap}/\\\\／∕⁄`;

/** Each character of the tag's name with its lookalikes: full-width, Cyrillic, Greek, other hyphens. */
const nameParts = [
  ...["vｖѵν", "eｅеε", "nｎո", "dｄԁ", "oｏоο", "rｒг"],
  "\\-_‐‑‒–—―−﹣－",
  ...["cｃсϲ", "oｏоο", "nｎո", "tｔтτ", "eｅеε", "nｎո", "tｔтτ"],
];

/** An angle bracket that may start a tag of the wrapper, judged by the first characters after it. */
const maybeTag = new RegExp(`[<＜﹤](?=[${lead}]{9}|[${lead}]{0,8}[${nameParts[0]}][${gap}${nameParts[1]}])`, "giu");
/** Bounded because the regex engine stores a position per repetition; longer runs are matched in pieces. */
const leadRun = new RegExp(`[${lead}]{1,256}`, "uy");
const gapRun = new RegExp(`[${gap}]{1,256}`, "uy");
const nameCharacters = nameParts.map((part) => new RegExp(`[${part}]`, "iuy"));

/** Returns the end of the match at an index, or the index itself if there is none. */
function endOfMatch(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function endOfRun(pattern: RegExp, text: string, at: number): number {
  let end = at;
  for (let next = endOfMatch(pattern, text, end); next > end; next = endOfMatch(pattern, text, end)) end = next;
  return end;
}

/** Whether the name of the wrapper's tag follows. The name contains no angle bracket, so no text is read twice. */
function isFollowedByName(text: string, bracket: number): boolean {
  let at = endOfRun(leadRun, text, bracket + 1);
  for (const character of nameCharacters) {
    const start = endOfRun(gapRun, text, at);
    at = endOfMatch(character, text, start);
    if (at === start) return false;
  }
  return true;
}

/**
 * Replaces with `&lt;` every `<` that could open or close a `vendor-content` element, however the tag is spelled.
 * Everything else is unchanged. Runs in linear time.
 */
export function neutraliseWrapper(content: string): string {
  return content.replace(maybeTag, (bracket, at: number) => (isFollowedByName(content, at) ? "&lt;" : bracket));
}

/** Wraps content that is already neutralised, or a part of it, in one element that names its source. */
function wrapNeutralised(slug: string, neutralised: string): string {
  return `<vendor-content source="${slug}">\n${neutralised}\n</vendor-content>`;
}

/** Neutralises a vendor's content and wraps it in one element that names its source and is closed only at the end. */
export function wrapContent(slug: string, content: string): string {
  return wrapNeutralised(slug, neutraliseWrapper(content));
}

/** Returns the metadata of a snapshot in API form. */
export function toSnapshotMeta(row: SnapshotMetaRow): SnapshotMeta {
  return {
    content_hash: row.contentHash,
    byte_size: row.byteSize,
    line_count: row.lineCount,
    link_count: row.linkCount,
    fetched_at: row.fetchedAt.toISOString(),
  };
}

/** Returns a snapshot in API form. */
export function toSnapshotDetail(row: SnapshotRow): SnapshotDetail {
  return {
    id: row.id,
    ...toSnapshotMeta(row),
    http_status: row.httpStatus,
    response_time_ms: row.responseTimeMs,
    security_score: row.securityScore,
  };
}

/** Returns the latest snapshots of a vendor, newest first, without their content. */
export async function latestSnapshots(client: Database, vendorId: string, limit: number): Promise<SnapshotDetail[]> {
  return (await findSnapshots(client, vendorId, limit)).map(toSnapshotDetail);
}

export type ContentContext = { caller: Caller; database: Database };

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
  const failure = await findFailure(database, vendor.id);
  const message = failure
    ? `No fetch of the vendor "${slug}" has succeeded yet. The last one failed: ${failure}.`
    : `The vendor "${slug}" has not been fetched yet.`;
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
  /** Whether the content is returned as it was fetched, which the caller's tier has to include. */
  isRaw: boolean;
  /** `nextCursor` of the previous part; null for the first part. */
  cursor: string | null;
  /** Longest part, in characters of its JSON encoding. */
  maxLength: number;
};

/** A part of a vendor's latest content. */
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
 * Returns a part of the latest content of a vendor that the caller sees, for a model: sandboxed, unless raw content is
 * asked for. Sandboxed content is neutralised as a whole before it is divided, and each part has its own wrapper. Throws
 * AppError not_found, forbidden (a score of `blockedScore` or more, or a tier without raw content) and invalid_cursor.
 */
export async function getContentPart(
  context: ContentContext,
  { slug, isRaw, cursor, maxLength }: PartInput,
): Promise<ContentPart> {
  if (isRaw && !context.caller.plan.apiAccess) {
    throw new AppError("forbidden", "Raw content needs a key of the starter tier. Call again without raw.");
  }
  const { id, securityScore, ...meta } = await requireLatestSnapshot(context, slug, toolHints);
  const blocked = explainBlocked(`The content of "${slug}"`, securityScore);
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
