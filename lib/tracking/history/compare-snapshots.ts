import type { CallContext } from "#lib/accounts/keys/index";
import { contractTier } from "#lib/accounts/plans/index";
import { answerDiffText } from "#lib/tracking/diffs/index";
import { compareVersions } from "./comparison/compare-versions";
import type { Comparison } from "./comparison/compute-comparison";
import type { Direction, SnapshotComparison } from "./schemas";
import type { VersionRow } from "./store";
import { requireVersions, toVendorSnapshot } from "./versions";

type ComparisonInput = { params: { slug: string }; query: { from: string; to: string } };

/** Returns which of two versions is the older one. Ids sort by time. */
export function directionOf(from: { id: string }, to: { id: string }): Direction {
  if (from.id === to.id) return "same";
  return from.id < to.id ? "older-to-newer" : "newer-to-older";
}

/** Two versions within the history of a caller's tier, and their difference. */
export type VersionComparison = { from: VersionRow; to: VersionRow; comparison: Comparison };

/**
 * Compares any two versions of a vendor within the history of the caller's tier. Throws AppError not_found, forbidden (the
 * tier does not include a version) and service_unavailable (it takes too long).
 */
export async function compareWithinHistory(
  context: CallContext,
  { slug, from: fromId, to: toId, hint }: { slug: string; from: string; to: string; hint?: string },
): Promise<VersionComparison> {
  const ids = [fromId, toId];
  const found = await requireVersions(context, { slug, ids, ...(hint !== undefined && { hint }) });
  const [from, to] = found as [VersionRow, VersionRow];
  return { from, to, comparison: await compareVersions({ database: context.database, from, to }) };
}

/** Returns the difference between any two versions of a vendor; its text if the tier includes texts. Nothing is stored. */
export async function compareSnapshots(
  context: CallContext,
  { params: { slug }, query }: ComparisonInput,
): Promise<SnapshotComparison> {
  const { plan } = context.caller;
  const { from, to, comparison } = await compareWithinHistory(context, { slug, ...query });
  const score = Math.max(from.securityScore, to.securityScore);
  return {
    _meta: { tier: contractTier(plan.tier) },
    diff: {
      vendor_slug: slug,
      direction: directionOf(from, to),
      lines_added: comparison.linesAdded,
      lines_removed: comparison.linesRemoved,
      lines_moved: comparison.linesMoved,
      exact: comparison.exact,
      links_added: comparison.linksAdded,
      links_removed: comparison.linksRemoved,
      ...(plan.diffAccess && { diff_text: await answerDiffText(comparison.compressedText, score) }),
    },
    from_snapshot: toVendorSnapshot(from),
    to_snapshot: toVendorSnapshot(to),
  };
}
