import { blockedScore } from "#lib/contract/blocked-content";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { diffParamsSchema } from "../schemas";
import { findPageDiff, type PageDiff, readDiffFindings, readDiffText } from "../store";
import { flagLines, type ShownDiffText, showDiffText } from "./show-diff-text";
import type { FlaggedLines } from "./show-hunks";

export type DiffPage = {
  diff: PageDiff;
  /** A page of the hunks; null if the text requires a key. */
  text: ShownDiffText | null;
};

/**
 * Whether the site shows the text of a vendor's diffs to everyone. It does for vendors that the free tier covers,
 * whatever the diff's age, so that links to shared lines keep working. For other vendors it shows what the API returns
 * without a key: counts and links.
 */
function showsText({ isPublic }: Pick<PageDiff, "isPublic">): boolean {
  return isPublic;
}

/** Returns the lines that make a version dangerous. In other versions, findings are not marked. */
async function findFlagged(database: Database, diff: PageDiff): Promise<FlaggedLines | undefined> {
  const { id, previousScore, currentScore } = diff;
  if (Math.max(previousScore, currentScore) < blockedScore) return undefined;
  const { previous, current } = await readDiffFindings(database, id);
  return { before: flagLines(previousScore, previous), after: flagLines(currentScore, current) };
}

async function readText(database: Database, diff: PageDiff, page: number): Promise<DiffPage["text"]> {
  const [text, flagged] = await Promise.all([readDiffText(database, diff.id), findFlagged(database, diff)]);
  return text === null ? null : showDiffText(text, { page, linesMoved: diff.linesMoved, flagged });
}

/** Returns a change of a public-scope vendor, without its text. Throws AppError not_found. */
export async function requirePageDiff(
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
