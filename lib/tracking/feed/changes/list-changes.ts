import { z } from "zod";
import type { Database } from "#lib/platform/database/index";
import { type Change, findChanges, findFollowedVendor } from "../store";
import type { ChangeFilters } from "./query";

/** Changes on a page. */
const pageSize = 30;

/** A page of the changes, newest first. */
export type ChangePage = {
  changes: Change[];
  /** Null on the last page. */
  nextCursor: string | null;
  /** Whether the filters name a vendor that does not exist or that an account owns. */
  isVendorUnknown: boolean;
};

/** Returns the changes that match the filters after a cursor: the id of a page's last change. Others are ignored. */
export async function listChanges(
  { database }: { database: Database },
  { filters, cursor }: { filters: ChangeFilters; cursor?: string | undefined },
): Promise<ChangePage> {
  const before = z.guid().safeParse(cursor).data;
  const found = await findChanges(database, { filters, before, limit: pageSize + 1 });
  const changes = found.slice(0, pageSize);
  const { vendor } = filters;
  const isVendorUnknown =
    vendor !== undefined && changes.length === 0 && (await findFollowedVendor(database, vendor)) === null;
  return { changes, nextCursor: found.length > pageSize ? (changes.at(-1)?.id ?? null) : null, isVendorUnknown };
}
