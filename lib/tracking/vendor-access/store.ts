import type { Database } from "#lib/platform/database/index";

/** Returns the filter for vendors that no account owns, and those of one account unless it is null. */
export function visibleTo(accountId: string | null): { OR: { accountId: string | null }[] } {
  return { OR: [{ accountId: null }, { accountId }] };
}

export async function findVendorAccess(
  client: Database,
  slug: string,
): Promise<{ id: string; isPublic: boolean; accountId: string | null } | null> {
  return client.vendor.findUnique({ where: { slug }, select: { id: true, isPublic: true, accountId: true } });
}
