import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { blockedScore } from "#lib/contract/blocked-content";
import { scoreSecurity } from "#lib/tracking/security/score-security";
import {
  type AttackFamily,
  domain,
  families,
  filesOf,
  type Half,
  secondFamilies,
} from "#tests/unit/tracking/security/attack-sets";
import type { Tally } from "./measure";

/** Scores each of the project's own lines at a random place of a file. */
export function measureAttacks(): (Tally & { family: AttackFamily; half: Half })[] {
  const sets = [
    ...families.flatMap((family) => (["tuned", "unseen"] as const).map((half) => ({ family, half }))),
    ...secondFamilies.map((family) => ({ family, half: "second" as const })),
  ];
  return sets.map(({ family, half }) => {
    const scores = filesOf(family, half).map(({ file }) => scoreSecurity(file, { domain }).score);
    const flagged = scores.filter((score) => score > 0).length;
    const blocked = scores.filter((score) => score >= blockedScore).length;
    return { family, half, count: scores.length, flagged, blocked };
  });
}

/** Largest file that is read, in bytes. */
const maxByteSize = 10 * 1024 * 1024;

/** Scores the text files below a folder; `blocked` has a line for each blocked one. */
export async function measureDocs(
  folder: string,
  owner: string,
): Promise<{ count: number; flagged: number; blocked: string[] }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && /\.(?:mdx?|txt)$/.test(entry.name));
  const measured = { count: 0, flagged: 0, blocked: [] as string[] };
  for (const { parentPath, name } of files) {
    const text = (await readFile(join(parentPath, name))).subarray(0, maxByteSize).toString();
    const { score, findings } = scoreSecurity(text, { domain: owner });
    measured.count++;
    if (score > 0) measured.flagged++;
    if (score < blockedScore) continue;
    const { detector, line, excerpt } = findings[0]!;
    measured.blocked.push(`${join(parentPath, name)}:${line} score ${score}: ${detector} ${excerpt}`);
  }
  return measured;
}
