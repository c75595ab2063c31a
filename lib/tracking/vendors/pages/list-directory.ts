import type { Database } from "#lib/platform/database/index";
import { countDirectory, type DirectoryRow, findDirectory, findRecentChanges, type VendorChange } from "../store";
import type { DirectoryQuery } from "./directory-query";

/** Vendors on a page. */
export const directoryPageSize = 20;

/** A vendor in the directory with its recent changes, newest first. */
export type DirectoryVendor = Omit<DirectoryRow, "id"> & { changes: VendorChange[] };

export type Directory = {
  vendors: DirectoryVendor[];
  /** Vendors on all pages. */
  count: number;
  /** The page that is shown; the last one if a later one was requested. */
  page: number;
  pageCount: number;
};

/** Returns a page of the public-scope vendors that match the filters. */
export async function listDirectory(
  { database }: { database: Database },
  { query }: { query: DirectoryQuery },
): Promise<Directory> {
  const count = await countDirectory(database, query);
  const pageCount = Math.max(1, Math.ceil(count / directoryPageSize));
  const page = Math.min(query.page, pageCount);
  const range = { limit: directoryPageSize, offset: (page - 1) * directoryPageSize };
  const rows = await findDirectory(database, query, range);
  const changes = await findRecentChanges(
    database,
    rows.map(({ id }) => id),
  );
  const vendors = rows.map(({ id, ...row }) => ({
    ...row,
    changes: changes.filter(({ vendorId }) => vendorId === id),
  }));
  return { vendors, count, page, pageCount };
}
