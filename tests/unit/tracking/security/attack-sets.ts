import { readFileSync } from "node:fs";
import { seededRandom } from "#tests/support/seeded-random";

/**
 * Families of `attacks/`; each has a file for tuning and one with the suffix `-unseen`, written before the rules. Some have
 * a third with the suffix `-second`, written before the rules were widened, measured once, and tuned with from then on.
 */
export const families = [
  "override-english",
  "override-other",
  "exfiltration",
  "role",
  "hidden",
  "agents",
  "remote-scripts",
  "benign",
] as const;
export type AttackFamily = (typeof families)[number];
export type Half = "tuned" | "unseen" | "second";

/** Families with a second set. */
export const secondFamilies = [
  "override-english",
  "hidden",
  "agents",
  "remote-scripts",
  "benign",
] as const satisfies AttackFamily[];

/** The vendor's domain in all lines. */
export const domain = "acme.test";

const read = (name: string) => readFileSync(new URL(`attacks/${name}`, import.meta.url), "utf8");

/** Returns the lines of a family. `\u{200B}` in a file is the character with that code point. */
export function readAttacks(family: AttackFamily, half: Half): string[] {
  const text = read(`${family}${half === "tuned" ? "" : `-${half}`}.txt`);
  const decode = (_: string, code: string) => String.fromCodePoint(Number.parseInt(code, 16));
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/\\u\{([0-9A-F]{2,5})\}/g, decode));
}

/** A harmless file that scores 0, without code. */
export const carrier = read("carrier.md").trimEnd();

/** Returns the file with the line at a random place: as a paragraph, a list item, a quote, or after a sentence. */
export function placeInFile(line: string, random: () => number): string {
  const paragraphs = carrier.split("\n\n");
  const at = 1 + Math.floor(random() * (paragraphs.length - 1));
  const isBlock = /^[[<]/.test(line) && !line.startsWith("[INST]");
  const shapes = [line, `- ${line}`, `> ${line}`, `Updated last month. ${line}`, `${line} More below.`];
  const shape = isBlock ? line : shapes[Math.floor(random() * shapes.length)]!;
  return [...paragraphs.slice(0, at), shape, ...paragraphs.slice(at)].join("\n\n");
}

/** Returns a family's lines, each in a file of its own. The same seed gives the same places. */
export function filesOf(family: AttackFamily, half: Half): { line: string; file: string }[] {
  const random = seededRandom(`${family} ${half}`);
  return readAttacks(family, half).map((line) => ({ line, file: placeInFile(line, random) }));
}
