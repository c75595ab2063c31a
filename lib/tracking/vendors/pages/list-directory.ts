import type { Database } from "#lib/platform/database/index";
import { type DirectoryRow, findDirectory, findRecentChanges, type VendorChange } from "../store";
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
  const read = (page: number) =>
    findDirectory(database, query, { limit: directoryPageSize, offset: (page - 1) * directoryPageSize });
  let rows = await read(query.page);
  // A page after the last one has no row that says how many there are.
  const [first] = rows.length > 0 || query.page === 1 ? rows : await read(1);
  const count = first?.count ?? 0;
  const pageCount = Math.max(1, Math.ceil(count / directoryPageSize));
  const page = Math.min(query.page, pageCount);
  if (page !== query.page) rows = await read(page);
  const changes = await findRecentChanges(
    database,
    rows.map(({ id }) => id),
  );
  const vendors = rows.map(({ id, count: _, ...row }) => ({
    ...row,
    changes: changes.filter(({ vendorId }) => vendorId === id),
  }));
  return { vendors, count, page, pageCount };
}
