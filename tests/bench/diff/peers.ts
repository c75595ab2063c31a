import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { diffArrays, diffLines } from "diff";
import type { Alignment } from "#lib/tracking/diffs/compare/align";
import { markChanges } from "#lib/tracking/diffs/compare/mark-changes";
import { numberLines, splitLines } from "#lib/tracking/diffs/compare/spans";
import { compareTexts } from "#lib/tracking/diffs/index";

/** Result of a comparison; null if the peer gave up. */
export type Outcome = { linesAdded: number; linesRemoved: number; exact: boolean } | null;

export type Peer = {
  name: string;
  description: string;
  /** Compares the two texts, which are in the files `before` and `after` of a folder. */
  compare: (before: string, after: string, folder: string) => Outcome;
};

/** Time after which a peer is stopped, in milliseconds. */
export const peerTimeoutMs = 10_000;

/** Time limit of jsdiff after our prefilter. */
const jsdiffTimeoutMs = 1_000;

type Change = { count: number; added: boolean; removed: boolean };

function countChanges(changes: Change[] | undefined): Outcome {
  if (!changes) return null;
  const count = (wanted: (change: Change) => boolean) =>
    changes.filter(wanted).reduce((sum, change) => sum + change.count, 0);
  return { linesAdded: count(({ added }) => added), linesRemoved: count(({ removed }) => removed), exact: true };
}

function alignWithJsdiff(before: Int32Array, after: Int32Array): Alignment {
  const removed = new Uint8Array(before.length);
  const added = new Uint8Array(after.length);
  const changes = diffArrays(Array.from(before), Array.from(after), { timeout: jsdiffTimeoutMs });
  if (!changes) return { removed: removed.fill(1), added: added.fill(1), exact: false };
  let [line, afterLine] = [0, 0];
  for (const change of changes) {
    if (change.removed) removed.fill(1, line, line + change.count);
    if (change.added) added.fill(1, afterLine, afterLine + change.count);
    if (!change.added) line += change.count;
    if (!change.removed) afterLine += change.count;
  }
  return { removed, added, exact: true };
}

const sum = (marks: Uint8Array) => marks.reduce((total, mark) => total + mark, 0);

function prefilterAndJsdiff(before: string, after: string): Outcome {
  const ids = numberLines(splitLines(before, 0, before.length, 1), splitLines(after, 0, after.length, 1));
  const { removed, added, exact } = markChanges(ids, alignWithJsdiff);
  return { linesAdded: sum(added), linesRemoved: sum(removed), exact };
}

const splitAtFeeds = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function gnuDiff(_before: string, _after: string, folder: string): Outcome {
  const { stdout, signal, error } = spawnSync(
    "diff",
    ["--text", "-U3", join(folder, "before"), join(folder, "after")],
    { encoding: "latin1", maxBuffer: 1024 ** 3, timeout: peerTimeoutMs },
  );
  if (signal || error) return null;
  const body = stdout.slice(stdout.indexOf("\n@@") + 1);
  let [linesAdded, linesRemoved] = [0, 0];
  for (let at = 0; at >= 0 && at < body.length; at = body.indexOf("\n", at) + 1 || -1) {
    if (body[at] === "+") linesAdded++;
    else if (body[at] === "-") linesRemoved++;
  }
  return { linesAdded, linesRemoved, exact: false };
}

export const peers: readonly Peer[] = [
  {
    name: "tapedeck",
    description: "`compareTexts`: lines, moved blocks, links and the written diff",
    compare: (before, after) => {
      const { linesAdded, linesRemoved, exact } = compareTexts(before, after);
      return { linesAdded, linesRemoved, exact };
    },
  },
  {
    name: "prefilter + jsdiff",
    description: "our prefilter with `diffArrays` behind it, which has 1 second; marks alone, nothing written",
    compare: prefilterAndJsdiff,
  },
  {
    name: "jsdiff lines",
    description: "`diffLines` of jsdiff 9; the changes alone, nothing written",
    compare: (before, after) => countChanges(diffLines(before, after, { timeout: peerTimeoutMs })),
  },
  {
    name: "jsdiff arrays",
    description: "`diffArrays` of jsdiff 9 over the lines; the changes alone, nothing written",
    compare: (before, after) =>
      countChanges(diffArrays(splitAtFeeds(before), splitAtFeeds(after), { timeout: peerTimeoutMs })),
  },
  {
    name: "GNU diff",
    description: "`diff -U3` over files, its start and the reading of its output included; it may be not the shortest",
    compare: gnuDiff,
  },
];

/** Writes the two texts to the files that some peers read. */
export function writeInputs(folder: string, before: string, after: string): void {
  writeFileSync(join(folder, "before"), before);
  writeFileSync(join(folder, "after"), after);
}

/** Returns why a peer cannot run on this machine; undefined if it can. */
export function whyMissing({ name }: Peer): string | undefined {
  if (name !== "GNU diff") return undefined;
  return spawnSync("diff", ["--version"]).error ? "diff is not installed" : undefined;
}
