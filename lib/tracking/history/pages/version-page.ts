import * as z from "zod";
import type { CallContext } from "#lib/accounts/keys/index";
import { blockedScore } from "#lib/contract/blocked-content";
import { AppError } from "#lib/platform/errors";
import { printable } from "#lib/platform/printable";
import { shortenLine } from "#lib/tracking/diffs/index";
import { readSnapshotText } from "#lib/tracking/snapshots/index";
import { ownAccountOf, vendorNotFound } from "#lib/tracking/vendor-access/index";
import {
  countVersions,
  findNeighbours,
  findPageVendor,
  findVersions,
  findVersionsById,
  type PageVendor,
  readFindings,
  type VersionFindings,
  type VersionRow,
} from "../store";

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
 * Returns the versions of a vendor that the caller sees after a cursor, the id of a page's last version. Other cursors are ignored.
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

/** Longest id that an error repeats, in characters. */
const maxShownIdLength = 40;

export type PageContext = Pick<CallContext, "caller" | "database">;

/** Returns a vendor that the caller sees. Throws AppError not_found. */
export async function requirePageVendor({ caller, database }: PageContext, slug: string): Promise<PageVendor> {
  const vendor = await findPageVendor(database, slug, ownAccountOf(caller));
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

/** Lines on a page. */
const pageLineCount = 400;

/** A line as a page shows it: of limited length, with invisible characters made visible. */
export type VersionLine = { number: number; text: string; omittedLength: number };

/** A page of a version's lines. */
export type VersionLines = { lines: VersionLine[]; page: number; pageCount: number };

/** Returns the start of the line `skipped` lines after the one that starts at `at`. */
function skipLines(text: string, at: number, skipped: number): number {
  let start = at;
  for (let line = 0; line < skipped; line++) start = text.indexOf("\n", start) + 1;
  return start;
}

/** Returns a page of a text with `lineCount` lines: the last one if a later one is requested. Reads the text once. */
export function pageLines(text: string, lineCount: number, requestedPage: number): VersionLines {
  const pageCount = Math.max(1, Math.ceil(lineCount / pageLineCount));
  const page = Math.min(Math.max(1, requestedPage), pageCount);
  const first = (page - 1) * pageLineCount;
  const lines: VersionLine[] = [];
  let at = skipLines(text, 0, first);
  for (let line = first; line < Math.min(first + pageLineCount, lineCount); line++) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    lines.push({ number: line + 1, ...shortenLine(text.slice(at, end).replace(/\r$/, "")) });
    at = end + 1;
  }
  return { lines, page, pageCount };
}

/** Content of the page of a version. */
export type VersionPage = {
  vendor: PageVendor;
  version: VersionRow;
  /** Null if the text requires a key, or is withheld because of its security score. */
  text: VersionLines | null;
  findings: VersionFindings;
  /** The versions directly before and after this one. */
  olderId: string | null;
  newerId: string | null;
};

/**
 * Returns a version of a public-scope vendor with a page of its lines. As for diffs, the site shows the text of vendors that
 * the free tier covers, whatever its age. Throws AppError not_found.
 */
export async function getVersionPage(
  context: PageContext,
  { slug, id, page }: { slug: string; id: string; page: number },
): Promise<VersionPage> {
  const { database } = context;
  const vendor = await requirePageVendor(context, slug);
  const version = await requirePageVersion(context, vendor, id);
  const isShown = vendor.hasText && version.securityScore < blockedScore;
  const [neighbours, findings, text] = await Promise.all([
    findNeighbours(database, { vendorId: vendor.id, id: version.id }),
    readFindings(database, version.id),
    isShown ? readSnapshotText(database, version.id) : null,
  ]);
  return {
    vendor,
    version,
    findings,
    ...neighbours,
    text: text === null ? null : pageLines(text, version.lineCount, page),
  };
}
