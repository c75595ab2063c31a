import type { Caller } from "#lib/accounts/keys/index";
import { contractTier, historyStart } from "#lib/accounts/plans/index";
import { parseIdCursor } from "#lib/contract/query-schemas";
import type { Clock } from "#lib/platform/clock";
import { decompressText } from "#lib/platform/compress-text";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { isCoveredBy, requireVisibleVendor } from "#lib/tracking/vendor-access/index";
import type { DiffDetail, VendorDiff, VendorDiffs } from "./schemas";
import { truncateDiffText } from "./shorten-diff-text";
import { findDiffs, type ListedDiff } from "./store";

/** Returns a diff in API form. */
export function toDiffDetail(diff: Omit<ListedDiff, "compressedText">): DiffDetail {
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

type DiffsContext = { caller: Caller; clock: Clock; database: Database };
type DiffsInput = { params: { slug: string }; query: { cursor?: string; limit: number } };

async function toVendorDiff(diff: ListedDiff): Promise<VendorDiff> {
  const { linesMoved, exact, compressedText } = diff;
  const listed = { ...toDiffDetail(diff), lines_moved: linesMoved, exact };
  return compressedText ? { ...listed, diff_text: truncateDiffText(await decompressText(compressedText)) } : listed;
}

async function requireCoveredVendor(context: DiffsContext, slug: string): Promise<string> {
  const vendor = await requireVisibleVendor(context, slug);
  if (isCoveredBy(vendor, context.caller)) return vendor.id;
  const message = `The free tier covers only the diffs of public vendors, and "${slug}" is not public. GET /api/v1/pricing lists the tiers.`;
  throw new AppError("forbidden", message);
}

/**
 * Returns a page of a vendor's diffs within the history of the caller's tier, newest first, with their texts if the tier
 * includes them. Throws AppError not_found, forbidden (the tier does not cover the vendor) and invalid_cursor.
 */
export async function listDiffs(context: DiffsContext, { params, query }: DiffsInput): Promise<VendorDiffs> {
  const { caller, clock, database } = context;
  const before = parseIdCursor(query.cursor);
  const vendorId = await requireCoveredVendor(context, params.slug);
  const since = historyStart(caller.plan, clock.now());
  const hasText = caller.plan.diffAccess;
  const found = await findDiffs(database, { vendorId, limit: query.limit + 1, before, since, hasText });
  const diffs: VendorDiff[] = [];
  // Sequentially, because a small compressed diff can be large when decompressed.
  for (const diff of found.slice(0, query.limit)) diffs.push(await toVendorDiff(diff));
  const has_more = found.length > query.limit;
  const next_cursor = has_more ? (diffs.at(-1)?.id ?? null) : null;
  return { _meta: { count: diffs.length, next_cursor, has_more, tier: contractTier(caller.plan.tier) }, diffs };
}
