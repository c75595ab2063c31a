import { blockedScore } from "#lib/contract/blocked-content";
import { decompressText } from "#lib/platform/compress-text";
import { flagLines, type ShownDiffText, showDiffText } from "#lib/tracking/diffs/index";
import { directionOf } from "../compare-snapshots";
import { compareVersions } from "../comparison/compare-versions";
import type { Comparison } from "../comparison/compute-comparison";
import type { Direction } from "../schemas";
import { findVersions, type PageVendor, readFindings, type VersionRow } from "../store";
import { type PageContext, requirePageVendor, requirePageVersion } from "./version-page";

/** Most versions that the form offers: the newest ones, beside those that are chosen. */
const maxChoiceCount = 100;
/** Most added links, and most removed links, that the page lists. */
const maxPageLinkCount = 50;

/** Two versions of a vendor, and what the page shows of their difference. */
export type ShownComparison = Pick<
  Comparison,
  "linesAdded" | "linesRemoved" | "linesMoved" | "exact" | "linkCountAdded" | "linkCountRemoved"
> & { linksAdded: string[]; linksRemoved: string[]; direction: Direction; text: ShownDiffText };

/** Content of the page that compares two versions. */
export type ComparePage = {
  vendor: PageVendor;
  /** The versions that the form offers, newest first. */
  choices: VersionRow[];
  /** The chosen versions; by default the latest and the one before. Null if there is no such version. */
  from: VersionRow | null;
  to: VersionRow | null;
  /** Null if the URL does not name two versions, or the text requires a key. */
  comparison: ShownComparison | null;
};

async function flagVersion(context: PageContext, { id, securityScore }: VersionRow) {
  return flagLines(securityScore, securityScore < blockedScore ? [] : await readFindings(context.database, id));
}

async function showComparison(
  context: PageContext,
  { from, to, page }: { from: VersionRow; to: VersionRow; page: number },
): Promise<ShownComparison> {
  const comparison = await compareVersions({ database: context.database, from, to });
  const { compressedText, linksAdded, linksRemoved, ...counts } = comparison;
  const [text, before, after] = await Promise.all([
    decompressText(compressedText),
    flagVersion(context, from),
    flagVersion(context, to),
  ]);
  return {
    ...counts,
    linksAdded: linksAdded.slice(0, maxPageLinkCount),
    linksRemoved: linksRemoved.slice(0, maxPageLinkCount),
    direction: directionOf(from, to),
    text: showDiffText(text, { page, linesMoved: counts.linesMoved, flagged: { before, after } }),
  };
}

type CompareInput = { slug: string; from?: string | undefined; to?: string | undefined; page: number };

/**
 * Returns the content of the page that compares two versions of a vendor that the caller sees, of any age. The site shows the
 * difference of vendors that the free tier covers and of the caller's own, as it does their diffs. Throws AppError not_found, and
 * service_unavailable if the comparison takes too long.
 */
export async function getComparePage(context: PageContext, given: CompareInput): Promise<ComparePage> {
  const vendor = await requirePageVendor(context, given.slug);
  const find = (id: string | undefined) => (id ? requirePageVersion(context, vendor, id) : null);
  const [newest, chosenFrom, chosenTo] = await Promise.all([
    findVersions(context.database, { vendorId: vendor.id, limit: maxChoiceCount }),
    find(given.from),
    find(given.to),
  ]);
  const chosen = [chosenFrom, chosenTo].filter((version) => version !== null);
  const choices = [...new Map([...newest, ...chosen].map((version) => [version.id, version])).values()];
  choices.sort((a, b) => (a.id < b.id ? 1 : -1));
  const [from, to] = [chosenFrom ?? newest[1] ?? newest[0] ?? null, chosenTo ?? newest[0] ?? null];
  const isShown = vendor.hasText && chosenFrom && chosenTo;
  const comparison = isShown
    ? await showComparison(context, { from: chosenFrom, to: chosenTo, page: given.page })
    : null;
  return { vendor, choices, from, to, comparison };
}
