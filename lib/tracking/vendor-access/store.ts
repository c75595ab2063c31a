import type { Database } from "#lib/platform/database/index";
import { Prisma } from "#prisma/generated/client";

/** Returns the filter for vendors that no account owns, and those of one account unless it is null. */
export function visibleTo(accountId: string | null): { OR: { accountId: string | null }[] } {
  return { OR: [{ accountId: null }, { accountId }] };
}

/** Returns the same as `visibleTo`, as a condition for SQL that has the columns of vendors. */
export const isVisibleToAccount = (accountId: string | null): Prisma.Sql =>
  accountId === null
    ? Prisma.sql`account_id IS NULL`
    : Prisma.sql`(account_id IS NULL OR account_id = ${accountId}::uuid)`;

export async function findVendorAccess(
  client: Database,
  slug: string,
): Promise<{ id: string; isPublic: boolean; accountId: string | null; lastFetchedAt: Date | null } | null> {
  const select = { id: true, isPublic: true, accountId: true, lastFetchedAt: true } as const;
  return client.vendor.findUnique({ where: { slug }, select });
}

/**
 * Whether everyone may see the report `r` of the vendor `v`: any report of a vendor that the free tier covers and of a catalogue
 * of models, and the newest one of other vendors, as on their pages. The significance is shown of every change.
 */
export const isShownToEveryone = Prisma.sql`(v.is_public OR v.reader <> 'llms_txt'
  OR NOT EXISTS (SELECT 1 FROM reports newer WHERE newer.vendor_id = r.vendor_id AND newer.id > r.id))`;
