import type { Database } from "#lib/platform/database/index";

export async function findVendorAccess(
  client: Database,
  slug: string,
): Promise<{ id: string; isPublic: boolean; accountId: string | null } | null> {
  return client.vendor.findUnique({ where: { slug }, select: { id: true, isPublic: true, accountId: true } });
}
