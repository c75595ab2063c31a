import type { Database } from "#lib/platform/database/index";
import type { DirectoryQuery } from "./directory-query";
import { countDirectory, type DirectoryRow, findDirectory, findLastChanges, type VendorChange } from "./store";

/** Vendors of a page. */
export const directoryPageSize = 40;

/** A vendor in the directory with its last changes, the newest first. */
export type DirectoryVendor = Omit<DirectoryRow, "id"> & { changes: VendorChange[] };

export type Directory = {
  vendors: DirectoryVendor[];
  /** Vendors on all pages. */
  count: number;
  /** The page that is shown: one behind the last is the last. */
  page: number;
  pageCount: number;
};

/** A page of the vendors that everybody sees and that fit the filters. */
export async function listDirectory(
  { database }: { database: Database },
  { query }: { query: DirectoryQuery },
): Promise<Directory> {
  const count = await countDirectory(database, query);
  const pageCount = Math.max(1, Math.ceil(count / directoryPageSize));
  const page = Math.min(query.page, pageCount);
  const range = { limit: directoryPageSize, offset: (page - 1) * directoryPageSize };
  const rows = await findDirectory(database, query, range);
  const changes = await findLastChanges(
    database,
    rows.map(({ id }) => id),
  );
  const vendors = rows.map(({ id, ...row }) => ({
    ...row,
    changes: changes.filter(({ vendorId }) => vendorId === id),
  }));
  return { vendors, count, page, pageCount };
}
