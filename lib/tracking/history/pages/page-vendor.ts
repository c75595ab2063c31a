import { z } from "zod";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { printable } from "#lib/platform/printable";
import { vendorNotFound } from "#lib/tracking/vendor-access/index";
import { findPageVendor, findVersionsById, type PageVendor, type VersionRow } from "../store";

/** Longest id that an error repeats, in characters. */
const maxShownIdLength = 40;

export type PageContext = { database: Database };

/** Returns a public-scope vendor. Throws AppError not_found. */
export async function requirePageVendor({ database }: PageContext, slug: string): Promise<PageVendor> {
  const vendor = await findPageVendor(database, slug);
  if (!vendor) throw vendorNotFound(slug);
  return vendor;
}

/** Returns a version of a vendor, of any age. Throws AppError not_found. */
export async function requirePageVersion(
  { database }: PageContext,
  { id: vendorId, slug }: PageVendor,
  id: string,
): Promise<VersionRow> {
  const isId = z.guid().safeParse(id).success;
  const [version] = isId ? await findVersionsById(database, { vendorId, ids: [id] }) : [];
  if (!version)
    throw new AppError(
      "not_found",
      `"${slug}" has no version ${printable(id.slice(0, maxShownIdLength))}. /vendors/${slug}/snapshots lists its versions.`,
    );
  return version;
}
