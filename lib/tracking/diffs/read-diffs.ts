import type { CallContext } from "#lib/accounts/keys/index";
import { contractTier, historyStart } from "#lib/accounts/plans/index";
import { explainBlocked } from "#lib/contract/blocked-content";
import { parseIdCursor } from "#lib/contract/query-schemas";
import { decompressText } from "#lib/platform/compress-text";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { type DescribedOperation, findOperationsIn, toOperationChange } from "#lib/tracking/operations/index";
import {
  isVisibleTo,
  neverFetched,
  notFetchedSince,
  requireCoveredVendor,
  requireToolVendor,
} from "#lib/tracking/vendor-access/index";
import {
  type DiffAnswer,
  type DiffDetail,
  type DiffSnapshotMeta,
  maxListedOperationCount,
  type VendorDiff,
  type VendorDiffs,
} from "./schemas";
import { truncateDiffText } from "./shorten-diff-text";
import { type FoundDiff, findDiff, findDiffs, findFirstSeen, type ListedDiff, readDiffText } from "./store";

const allowed = "(?:[\\w\\-.~!$&'()*+,;=:@/]|%[0-9a-f]{2})*";
const allowedBehind = allowed.replace("/]", "/?]");
/** Links that are valid URIs already, as most are. */
const plain = new RegExp(
  `^https?://[a-z0-9.-]+(?::\\d+)?(?:/${allowed})?(?:\\?${allowedBehind})?(?:#${allowedBehind})?$`,
  "i",
);

/** Characters that RFC 3986 allows neither in a path nor in a query or fragment, including stray percent signs. */
const notAllowed = /[^\w\-.~!$&'()*+,;=:@/?%]|%(?![0-9a-f]{2})/giu;

const escapeRest = (part: string) => part.replace(notAllowed, encodeURIComponent);

/**
 * Returns a link as a URI by RFC 3986: with Punycode in the host, and percent escapes for other characters that are not
 * allowed. A valid URI is returned unchanged. Throws TypeError for anything but an absolute URL.
 */
export function toUri(link: string): string {
  if (plain.test(link)) return link;
  const { href, pathname, search, hash } = new URL(link);
  const host = href.slice(0, href.indexOf("/", "https://".length));
  const query = search && `?${escapeRest(search.slice(1))}`;
  return `${host}${escapeRest(pathname)}${query}${hash && `#${escapeRest(hash.slice(1))}`}`;
}

/**
 * Returns the line that replaces a diff whose score, the higher one of its two versions, is `blockedScore` or more;
 * undefined for other diffs. It starts with a backslash, so that readers of unified diffs skip it.
 */
export function withheldDiffText(securityScore: number): string | undefined {
  const blocked = explainBlocked("The text of this diff", securityScore);
  return blocked && `\\ ${blocked}\n`;
}

/** Returns a diff's text for a response: withheld if its score requires that, otherwise truncated. */
export async function answerDiffText(compressedText: Uint8Array, securityScore: number): Promise<string> {
  return withheldDiffText(securityScore) ?? truncateDiffText(await decompressText(compressedText));
}

type Side = { id: string; byteSize: number; lineCount: number; fetchedAt: Date };

/** Returns one side of a diff in API form. */
export function toSide({ id, byteSize, lineCount, fetchedAt }: Side): DiffSnapshotMeta {
  return { id, byte_size: byteSize, line_count: lineCount, fetched_at: fetchedAt.toISOString() };
}

/** Returns a diff of a vendor that the caller sees. Throws AppError not_found. */
export async function getDiff(
  { caller, database }: Pick<CallContext, "caller" | "database">,
  { params: { id } }: { params: { id: string } },
): Promise<DiffAnswer> {
  const diff = await findDiff(database, id);
  if (!diff || !isVisibleTo(diff.vendor, caller)) throw new AppError("not_found", `There is no diff ${id}.`);
  const operations = await findOperationsIn(database, [diff.id]);
  return {
    ...(operations.length > 0 && { operations: operations.map(toOperationChange) }),
    diff: {
      id: diff.id,
      vendor_slug: diff.vendor.slug,
      lines_added: diff.linesAdded,
      lines_removed: diff.linesRemoved,
      links_added: diff.linksAdded.map(toUri),
      links_removed: diff.linksRemoved.map(toUri),
      created_at: diff.createdAt.toISOString(),
    },
    previous_snapshot: toSide(diff.previousSnapshot),
    current_snapshot: toSide(diff.currentSnapshot),
  };
}

type DiffSummary = {
  diff: FoundDiff;
  /** The higher security score of the two versions. */
  securityScore: number;
  /** Null if the caller's tier does not include it or the diff is older than the tier's history. */
  text: string | null;
  /** What it changes of an OpenAPI document's operations, the most significant first. */
  operations: readonly DescribedOperation[];
};

const unknownDiff = (id: string) =>
  new AppError("not_found", `There is no diff ${id}. Call get_diff_summary with a vendor to get its latest diff.`);

/** Returns the id of a vendor's latest diff within the history of the caller's tier. */
async function findLatestId({ caller, clock, database }: CallContext, slug: string): Promise<string> {
  const vendor = await requireToolVendor({ caller, database }, slug);
  const since = historyStart(caller.plan, clock.now());
  const [latest] = await findDiffs(database, { vendorId: vendor.id, limit: 1, since });
  if (latest) return latest.id;
  if (vendor.lastFetchedAt === null) throw new AppError("not_found", neverFetched(slug));
  if (since !== null && vendor.lastFetchedAt < since)
    throw new AppError("not_found", notFetchedSince(slug, vendor.lastFetchedAt));
  const firstSeen = await findFirstSeen(database, vendor.id);
  const isYoung = firstSeen !== null && (since === null || firstSeen > since);
  const [start, why] = isYoung
    ? [firstSeen, "the time of its oldest known version"]
    : [since, `when the ${caller.plan.historyDays} days of history of your tier begin`];
  const known = start === null ? "" : ` since ${start.toISOString()}, ${why}`;
  const message = `At its last fetch, at ${vendor.lastFetchedAt.toISOString()}, the file of "${slug}" had not changed${known}. Call get_vendor_content to read it.`;
  throw new AppError("not_found", message);
}

/**
 * Returns a diff by id, whatever its age, or the latest diff of a vendor within the history of the caller's tier. Throws
 * AppError not_found and forbidden (the tier does not cover the vendor).
 */
export async function getDiffSummary(
  context: CallContext,
  wanted: { id: string } | { vendor: string },
): Promise<DiffSummary> {
  const { caller, clock, database } = context;
  const id = "id" in wanted ? wanted.id : await findLatestId(context, wanted.vendor);
  const diff = await findDiff(database, id);
  if (!diff || !isVisibleTo(diff.vendor, caller)) throw unknownDiff(id);
  const since = historyStart(caller.plan, clock.now());
  const hasText = caller.plan.diffAccess && (since === null || diff.createdAt >= since);
  const securityScore = Math.max(diff.previousSnapshot.securityScore, diff.currentSnapshot.securityScore);
  const readText = async () => withheldDiffText(securityScore) ?? (await readDiffText(database, id));
  const [text, operations] = await Promise.all([hasText ? readText() : null, findOperationsIn(database, [diff.id])]);
  return { diff, securityScore, text, operations };
}

/** Returns a diff in API form. */
export function toDiffDetail(diff: Omit<ListedDiff, "compressedText" | "securityScore">): DiffDetail {
  return {
    id: diff.id,
    previous_snapshot_id: diff.previousSnapshotId,
    current_snapshot_id: diff.currentSnapshotId,
    lines_added: diff.linesAdded,
    lines_removed: diff.linesRemoved,
    links_added: diff.linksAdded,
    links_removed: diff.linksRemoved,
    created_at: diff.createdAt.toISOString(),
  };
}

/** Returns the latest diffs of a vendor, newest first. */
export async function latestDiffs(client: Database, vendorId: string, limit: number): Promise<DiffDetail[]> {
  return (await findDiffs(client, { vendorId, limit })).map(toDiffDetail);
}

type DiffsInput = { params: { slug: string }; query: { cursor?: string; limit: number } };

async function toVendorDiff(diff: ListedDiff): Promise<VendorDiff> {
  const { linesMoved, exact, securityScore, compressedText } = diff;
  const listed = { ...toDiffDetail(diff), lines_moved: linesMoved, exact };
  return compressedText ? { ...listed, diff_text: await answerDiffText(compressedText, securityScore) } : listed;
}

/**
 * Returns a page of a vendor's diffs within the history of the caller's tier, newest first, with their texts if the tier
 * includes them. Throws AppError not_found, forbidden (the tier does not cover the vendor) and invalid_cursor.
 */
export async function listDiffs(context: CallContext, { params, query }: DiffsInput): Promise<VendorDiffs> {
  const { caller, clock, database } = context;
  const before = parseIdCursor(query.cursor);
  const { id: vendorId, lastFetchedAt } = await requireCoveredVendor(context, params.slug);
  const since = historyStart(caller.plan, clock.now());
  const hasText = caller.plan.diffAccess;
  const found = await findDiffs(database, { vendorId, limit: query.limit + 1, before, since, hasText });
  const page = found.slice(0, query.limit);
  const ids = page.map(({ id }) => id);
  const changed = await findOperationsIn(database, ids, { limit: maxListedOperationCount });
  const diffs: VendorDiff[] = [];
  // Sequentially, because a small compressed diff can be large when decompressed.
  for (const diff of page) {
    const operations = changed.filter(({ diffId }) => diffId === diff.id).map(toOperationChange);
    diffs.push({ ...(await toVendorDiff(diff)), ...(operations.length > 0 && { operations }) });
  }
  const has_more = found.length > query.limit;
  const next_cursor = has_more ? (diffs.at(-1)?.id ?? null) : null;
  const last_fetched_at = lastFetchedAt?.toISOString() ?? null;
  const tier = contractTier(caller.plan.tier);
  return { _meta: { count: diffs.length, next_cursor, has_more, tier, last_fetched_at }, diffs };
}
