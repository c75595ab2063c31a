import { accountTiers, plans } from "#lib/accounts/plans/index";
import type { Transaction } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";

const tiersWithVendors = accountTiers.filter((tier) => plans[tier].vendorAccess === "all-plus-custom");

type Paused = { id: string; status: "active" | "paused" | "unreachable"; isIncluded: boolean };

type SettleOptions = {
  /** The accounts whose tier has changed; all accounts if undefined. */
  accountIds?: readonly string[];
  /** Most vendors that are changed. */
  limit: number;
  now: Date;
  ids: Ids;
};

/**
 * Pauses the vendors of accounts whose tier does not include vendors of their own, and resumes those that were paused for
 * this reason if it does again; they are due at once. Returns how many were changed. Call it after the change of the tier, in
 * the same transaction.
 */
export async function settleOwnVendors(
  transaction: Transaction,
  { accountIds, limit, now, ids }: SettleOptions,
): Promise<number> {
  const only = accountIds ? [...accountIds] : null;
  const found = await transaction.$queryRaw<Paused[]>`
    SELECT v.id, v.status, a.tier::text = ANY(${tiersWithVendors}) AS "isIncluded"
    FROM vendors v JOIN accounts a ON a.id = v.account_id
    WHERE (${only}::uuid[] IS NULL OR v.account_id = ANY(${only}::uuid[]))
      AND CASE WHEN a.tier::text = ANY(${tiersWithVendors}) THEN v.paused_with_tier ELSE v.status <> 'paused' END
    ORDER BY v.id LIMIT ${limit} FOR UPDATE OF v`;
  const idsOf = (isIncluded: boolean) => found.filter((row) => row.isIncluded === isIncluded).map(({ id }) => id);
  const [resumed, paused] = [idsOf(true), idsOf(false)];
  if (paused.length > 0) {
    const where = { id: { in: paused } };
    await transaction.vendor.updateMany({ where, data: { status: "paused", pausedWithTier: true } });
  }
  if (resumed.length > 0) {
    await transaction.$executeRaw`
      UPDATE vendors SET status = 'active', paused_with_tier = false, failure_count = 0, failing_since = NULL
      WHERE id = ANY(${resumed}::uuid[])`;
    // Another vendor may be the one that is fetched for the URL.
    await transaction.$executeRaw`
      WITH same_url AS (
        SELECT id FROM vendors WHERE status <> 'paused' AND llms_txt_url IN (
          SELECT llms_txt_url FROM vendors WHERE id = ANY(${resumed}::uuid[])
        ) ORDER BY id FOR UPDATE
      )
      UPDATE vendors SET next_fetch_at = ${now} FROM same_url WHERE vendors.id = same_url.id`;
  }
  await transaction.vendorStatusChange.createMany({
    data: found.map(({ id, status, isIncluded }) => ({
      id: ids.next(),
      vendorId: id,
      from: status,
      to: isIncluded ? ("active" as const) : ("paused" as const),
      reason: `the tier of the account ${isIncluded ? "includes" : "no longer includes"} it`,
      createdAt: now,
    })),
  });
  return found.length;
}
