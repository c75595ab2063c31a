import type { Caller } from "#lib/accounts/keys/index";
import { blockedScore } from "#lib/contract/blocked-content";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { findOperationsIn, type OperationChangeItem, toOperationChange } from "#lib/tracking/operations/index";
import { ownAccountOf } from "#lib/tracking/vendor-access/index";
import { diffParamsSchema } from "../schemas";
import { findPageDiff, type PageDiff, readDiffFindings, readDiffText } from "../store";
import { findDiffMoves, type HunkPage, pageHunks } from "./page-hunks";
import { type FlaggedLines, type ShownHunk, showHunks } from "./show-hunks";

/** Longest diff in which moved lines are marked, in characters; in longer ones they are only counted. */
const maxMarkedLength = 2_000_000;

/** A page of a diff's hunks, as pages show them. */
export type ShownDiffText = Omit<HunkPage, "hunks"> & { hunks: ShownHunk[] };

/** A finding of a security detector, without the excerpt. */
type Finding = { detector: string; points: number; line: number };

/** Returns the detectors that scored a line of a version, by line number; empty for a version that is not dangerous. */
export function flagLines(score: number, findings: readonly Finding[]): ReadonlyMap<number, string[]> {
  const lines = new Map<number, string[]>();
  if (score < blockedScore) return lines;
  for (const { detector, points, line } of findings) {
    const known = lines.get(line) ?? [];
    if (points > 0 && !known.includes(detector)) lines.set(line, [...known, detector]);
  }
  return lines;
}

type ShowOptions = { page: number; linesMoved: number; flagged: FlaggedLines | undefined };

/** Returns a page of a unified diff, with moved blocks and changed words marked. */
export function showDiffText(text: string, { page, linesMoved, flagged }: ShowOptions): ShownDiffText {
  const { hunks, ...rest } = pageHunks(text, page);
  const isMarked = linesMoved > 0 && text.length <= maxMarkedLength;
  return { ...rest, hunks: showHunks(hunks, isMarked ? findDiffMoves(text) : [], flagged) };
}

export type DiffPage = {
  diff: PageDiff;
  /** A page of the hunks; null if the text requires a key. */
  text: ShownDiffText | null;
  /** The most significant ones of an OpenAPI document's change. */
  operations: OperationChangeItem[];
};

/** Most operations that a page shows. */
const maxOperationCount = 200;

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

type PageContext = { caller: Caller; database: Database };

/** Returns a change of a vendor that the caller sees, without its text. Throws AppError not_found. */
export async function requirePageDiff(
  { caller, database }: PageContext,
  { slug, id }: { slug: string; id: string },
): Promise<PageDiff> {
  const isId = diffParamsSchema.safeParse({ id }).success;
  const diff = isId ? await findPageDiff(database, { slug, id, ownAccountId: ownAccountOf(caller) }) : null;
  if (!diff) throw new AppError("not_found", `"${slug}" has no change ${id}.`);
  return diff;
}

/**
 * Returns the content of a change's page, with one page of its hunks. The text of vendors that the free tier covers is shown
 * to everyone whatever the change's age, so that links to shared lines keep working, and that of the caller's own vendors to
 * the caller. Of other vendors the page shows what the API returns without a key: counts and links. Throws AppError not_found.
 */
export async function getDiffPage(
  context: PageContext,
  { page, ...address }: { slug: string; id: string; page: number },
): Promise<DiffPage> {
  const diff = await requirePageDiff(context, address);
  const [text, operations] = await Promise.all([
    diff.hasText ? readText(context.database, diff, page) : null,
    findOperationsIn(context.database, [diff.id], { limit: maxOperationCount }),
  ]);
  return { diff, text, operations: operations.map(toOperationChange) };
}
