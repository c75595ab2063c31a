import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { diffParamsSchema } from "../schemas";
import { readDiffText } from "../store";
import { findDiffMoves, type HunkPage, pageHunks } from "./page-hunks";
import { type ShownHunk, showHunks } from "./show-hunks";
import { findPageDiff, type PageDiff } from "./store";

/** Longest diff in which moved lines are marked, in characters; in longer ones they are only counted. */
const maxMarkedLength = 2_000_000;

export type DiffPage = {
  diff: PageDiff;
  /** A page of the hunks; null if the text requires a key. */
  text: (Omit<HunkPage, "hunks"> & { hunks: ShownHunk[] }) | null;
};

/**
 * Whether the site shows the text of a vendor's diffs to everyone. It does for vendors that the free tier covers,
 * whatever the diff's age, so that links to shared lines keep working. For other vendors it shows what the API returns
 * without a key: counts and links.
 */
function showsText({ isPublic }: Pick<PageDiff, "isPublic">): boolean {
  return isPublic;
}

async function readText(database: Database, diff: PageDiff, page: number): Promise<DiffPage["text"]> {
  const text = await readDiffText(database, diff.id);
  if (text === null) return null;
  const { hunks, ...rest } = pageHunks(text, page);
  const isMarked = diff.linesMoved > 0 && text.length <= maxMarkedLength;
  return { ...rest, hunks: showHunks(hunks, isMarked ? findDiffMoves(text) : []) };
}

/** Returns a change of a public-scope vendor, without its text. Throws AppError not_found. */
async function requirePageDiff(
  { database }: { database: Database },
  { slug, id }: { slug: string; id: string },
): Promise<PageDiff> {
  const isId = diffParamsSchema.safeParse({ id }).success;
  const diff = isId ? await findPageDiff(database, { slug, id }) : null;
  if (!diff) throw new AppError("not_found", `"${slug}" has no change ${id}.`);
  return diff;
}

/** Returns the content of a change's page, with one page of its hunks. Throws AppError not_found. */
export async function getDiffPage(
  { database }: { database: Database },
  { page, ...address }: { slug: string; id: string; page: number },
): Promise<DiffPage> {
  const diff = await requirePageDiff({ database }, address);
  return { diff, text: showsText(diff) ? await readText(database, diff, page) : null };
}
