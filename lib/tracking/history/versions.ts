import * as z from "zod";
import type { CallContext } from "#lib/accounts/keys/index";
import { contractTier, historyStart } from "#lib/accounts/plans/index";
import { explainBlocked } from "#lib/contract/blocked-content";
import { parseIdCursor } from "#lib/contract/query-schemas";
import { AppError } from "#lib/platform/errors";
import { readSnapshotText, toSnapshotDetail, wrapContent } from "#lib/tracking/snapshots/index";
import { requireCoveredVendor } from "#lib/tracking/vendor-access/index";
import type { SnapshotContent, VendorSnapshot, VendorSnapshots } from "./schemas";
import { findVersions, findVersionsById, type VersionRow } from "./store";

/** Returns a version in API form. */
export function toVendorSnapshot(version: VersionRow): VendorSnapshot {
  return { ...toSnapshotDetail(version), created_at: version.createdAt.toISOString() };
}

/**
 * Whether a version is within the history of the caller's tier: it is the latest one, or it was replaced within that time.
 * So both versions of every diff that the tier includes are.
 */
function isWithinHistory({ replacedAt }: VersionRow, { caller, clock }: CallContext): boolean {
  const since = historyStart(caller.plan, clock.now());
  return since === null || replacedAt === null || replacedAt >= since;
}

type SnapshotsInput = { params: { slug: string }; query: { cursor?: string | undefined; limit: number } };

/**
 * Returns a page of a vendor's versions within the history of the caller's tier, newest first. Throws AppError not_found,
 * forbidden (the tier does not cover the vendor) and invalid_cursor.
 */
export async function listSnapshots(context: CallContext, { params, query }: SnapshotsInput): Promise<VendorSnapshots> {
  const before = parseIdCursor(query.cursor);
  const { id: vendorId } = await requireCoveredVendor(context, params.slug);
  const found = await findVersions(context.database, { vendorId, limit: query.limit + 1, before });
  // The versions before the history are the oldest, so they are the last ones.
  const within = found.filter((version) => isWithinHistory(version, context));
  const snapshots = within.slice(0, query.limit).map(toVendorSnapshot);
  const has_more = within.length > query.limit;
  const next_cursor = has_more ? (snapshots.at(-1)?.id ?? null) : null;
  const tier = contractTier(context.caller.plan.tier);
  return { _meta: { count: snapshots.length, next_cursor, has_more, tier }, snapshots };
}

const httpHint = (slug: string) => `GET /api/v1/vendors/${slug}/snapshots lists them.`;

/**
 * Returns versions of a vendor by id, in the order of the ids. Throws AppError not_found, and forbidden if the caller's tier
 * does not cover the vendor, or a version is older than its history.
 */
export async function requireVersions(
  context: CallContext,
  { slug, ids, hint = httpHint(slug) }: { slug: string; ids: readonly string[]; hint?: string },
): Promise<VersionRow[]> {
  const { id: vendorId } = await requireCoveredVendor(context, slug);
  const found = await findVersionsById(context.database, { vendorId, ids });
  return ids.map((given) => {
    const version = found.find(({ id }) => id === given.toLowerCase());
    if (!version) throw new AppError("not_found", `"${slug}" has no snapshot ${given}. ${hint}`);
    if (isWithinHistory(version, context)) return version;
    const { historyDays } = context.caller.plan;
    const message = `The snapshot ${given} was replaced before the ${historyDays} days of history of your tier. ${hint}`;
    throw new AppError("forbidden", message);
  });
}

/** A version's wrapped content, and the headers of its response. */
type SandboxedSnapshot = { answer: SnapshotContent; headers: Record<string, string> };

/**
 * Returns a version of a vendor's file wrapped for a model, by the rules for the latest one. Throws AppError bad_request (the
 * id is not a UUID), not_found, and forbidden (the tier does not include the version, or its security score is too high).
 */
export async function getSnapshot(
  context: CallContext,
  { params: { slug, id } }: { params: { slug: string; id: string } },
): Promise<SandboxedSnapshot> {
  if (!z.guid().safeParse(id).success) throw new AppError("bad_request", 'Path parameter "id": must be a UUID.');
  const [version] = (await requireVersions(context, { slug, ids: [id] })) as [VersionRow];
  const headers = { "X-Content-Security-Score": String(version.securityScore) };
  const blocked = explainBlocked(`The content of this version of "${slug}"`, version.securityScore);
  if (blocked) throw new AppError("forbidden", blocked, { headers });
  const content = wrapContent(slug, await readSnapshotText(context.database, version.id));
  return { answer: { content, snapshot: toVendorSnapshot(version) }, headers };
}
