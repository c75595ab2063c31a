import type { Transaction } from "#lib/platform/database/index";
import { Prisma } from "#prisma/generated/client";

/**
 * Returns the part of a statement that adds a report to the active digests whose filters it matches: for a vendor of an
 * account, those of that account only. The statement needs a part `report` with the columns of a new report. The tier is
 * checked when the mail is written. The lock lets the deletion of a digest wait, which would otherwise make the report fail.
 */
export function digestItemsPart(at: Date): Prisma.Sql {
  return Prisma.sql`digest_items_of_report AS (
    INSERT INTO digest_items (digest_id, report_id, created_at)
    SELECT digests.id, report.id, ${at} FROM report JOIN vendors ON vendors.id = report.vendor_id CROSS JOIN digests
    WHERE digests.status = 'active' AND (vendors.account_id IS NULL OR vendors.account_id = digests.account_id)
      AND (cardinality(digests.filter_vendors) = 0 OR vendors.slug = ANY(digests.filter_vendors))
      AND (cardinality(digests.filter_categories) = 0 OR digests.filter_categories && report.categories)
      AND (digests.min_significance IS NULL OR digests.min_significance <= report.significance)
    FOR KEY SHARE OF digests)`;
}

/** A change in a digest that is not sent yet. */
export type WaitingItem = { digestId: string; mailId: string | null; createdAt: Date };

/** Returns the places of a change in digests, before its report is replaced. */
export async function findWaitingItems(transaction: Transaction, diffId: string): Promise<WaitingItem[]> {
  const select = { digestId: true, mailId: true, createdAt: true } as const;
  return transaction.digestItem.findMany({ where: { report: { diffId } }, select });
}

/** Puts the new report of a change in the places of the old one. */
export async function replaceItems(
  transaction: Transaction,
  reportId: string,
  items: readonly WaitingItem[],
): Promise<void> {
  if (items.length > 0) await transaction.digestItem.createMany({ data: items.map((item) => ({ ...item, reportId })) });
}
