import { readFileSync } from "node:fs";
import { parse } from "yaml";
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
  const isBlock = (/^[[<]/.test(line) && !line.startsWith("[INST]")) || line.includes("\n");
  const shapes = [line, `- ${line}`, `> ${line}`, `Updated last month. ${line}`, `${line} More below.`];
  const shape = isBlock ? line : shapes[Math.floor(random() * shapes.length)]!;
  return [...paragraphs.slice(0, at), shape, ...paragraphs.slice(at)].join("\n\n");
}

/** Returns a family's lines, each in a file of its own. The same seed gives the same places. */
export function filesOf(family: AttackFamily, half: Half): { line: string; file: string }[] {
  const random = seededRandom(`${family} ${half}`);
  return readAttacks(family, half).map((line) => ({ line, file: placeInFile(line, random) }));
}

/** Encodings of the third set: a text `name: …` is written with the encoding of that name. */
const encodings = new Map(
  Object.entries<(text: string) => string>({
    base64: (text) => Buffer.from(text).toString("base64"),
    invisible: (text) => text.replace(/\B/g, "\u200b"),
    homoglyphs: (text) => text.replace(/[aeop]/g, (letter) => "аеор"["aeop".indexOf(letter)]!),
    entities: (text) => text.replace(/[a-z]/gi, (letter) => `&#${letter.charCodeAt(0)};`),
    tags: (text) => text.replace(/[ -~]/g, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))),
  }),
);

/** Returns the texts of a half of the third set, each in a file of its own; the seed gives the same places. */
export function filesOfThird(half: "tuned" | "unseen"): { family: string; line: string; file: string }[] {
  const random = seededRandom(`third ${half}`);
  return Object.entries<string[]>(parse(read("third.yaml"))).flatMap(([family, texts]) =>
    texts
      .filter((_, index) => index % 2 === (half === "tuned" ? 0 : 1))
      .map((text) => {
        const [, name = "", rest = ""] = /^(\w+): (.*)$/s.exec(text) ?? [];
        const line = encodings.get(name)?.(rest) ?? text.trimEnd();
        return { family, line, file: placeInFile(line, random) };
      }),
  );
}
