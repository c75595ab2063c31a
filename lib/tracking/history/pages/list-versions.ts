import { z } from "zod";
import { countVersions, findVersions, type PageVendor, type VersionRow } from "../store";
import { type PageContext, requirePageVendor } from "./page-vendor";

/** Versions on a page. */
const pageSize = 50;

/** A page of a vendor's versions, newest first. */
export type VersionList = {
  vendor: PageVendor;
  versions: VersionRow[];
  /** All versions. */
  count: number;
  /** Id of the latest version; null before the first. */
  latestId: string | null;
  nextCursor: string | null;
};

/**
 * Returns the versions of a public-scope vendor after a cursor, the id of a page's last version. Other cursors are ignored.
 * Throws AppError not_found.
 */
export async function listVersions(
  context: PageContext,
  { slug, cursor }: { slug: string; cursor?: string | undefined },
): Promise<VersionList> {
  const { database } = context;
  const vendor = await requirePageVendor(context, slug);
  const before = z.guid().safeParse(cursor).data;
  const [found, [latest], count] = await Promise.all([
    findVersions(database, { vendorId: vendor.id, limit: pageSize + 1, before }),
    findVersions(database, { vendorId: vendor.id, limit: 1 }),
    countVersions(database, vendor.id),
  ]);
  const versions = found.slice(0, pageSize);
  const nextCursor = found.length > pageSize ? (versions.at(-1)?.id ?? null) : null;
  return { vendor, versions, count, latestId: latest?.id ?? null, nextCursor };
}
