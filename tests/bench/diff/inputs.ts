import { randomFrom } from "#tests/support/seeded-random";

/** Two versions of a text to compare. */
export type DiffInput = { name: string; before: string; after: string };

function shuffle(lines: readonly string[], random: () => number): string[] {
  const shuffled = [...lines];
  for (let index = shuffled.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    [shuffled[index], shuffled[other]] = [shuffled[other]!, shuffled[index]!];
  }
  return shuffled;
}

const join = (lines: readonly string[]) => lines.join("");
const linkLine = (line: number, word = "page") => `- [${word} ${line}](https://docs.example.com/${word}/${line}.md)\n`;
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

function withShareChanged(lines: readonly string[], share: number, random: () => number): string[] {
  return lines.flatMap((line, index) => {
    if (random() >= share) return [line];
    const kind = random();
    if (kind < 1 / 3) return [];
    return kind < 2 / 3 ? [linkLine(index, "changed")] : [line, linkLine(index, "added")];
  });
}

/** Returns sections of ten lines, a third of which moved in the newer version. */
function withSectionsMoved(sectionCount: number, random: () => number): DiffInput {
  const sections = times(
    sectionCount,
    (index) => `## Section ${index}\n${join(times(9, (line) => linkLine(index * 9 + line)))}`,
  );
  const moving = new Set(times(Math.floor(sectionCount / 3), () => Math.floor(random() * sectionCount)));
  const after = sections.filter((_, index) => !moving.has(index));
  for (const index of moving) after.splice(Math.floor(random() * after.length), 0, sections[index]!);
  return {
    name: `${sectionCount * 10} lines, a third of the sections moved`,
    before: join(sections),
    after: join(after),
  };
}

const mebibyte = 1024 * 1024;

const pages = (count: number, word?: string) => times(count, (line) => linkLine(line, word));
const links = (host: string) => times(600_000, (line) => `http://${host}/${line.toString(36)}\n`);
const shortLines = (step: number) =>
  times(1_747_626, (line) => `${((line * step) % 100_000).toString(36).padStart(5, "0")}\n`);

function drawn(count: number, kindCount: number, random: () => number): string[] {
  return times(count, () => linkLine(Math.floor(random() * kindCount)));
}

function input(name: string, before: readonly string[], after: readonly string[], separator = ""): DiffInput {
  return { name, before: before.join(separator), after: after.join(separator) };
}

/** Returns typical versions of files, and texts designed to be slow, none over 10 MiB. Created for each call. */
export const inputMakers: (() => DiffInput)[] = [
  () => input("45,000 lines, 5 % changed", pages(45_000), withShareChanged(pages(45_000), 0.05, randomFrom(1))),
  () => input("60,000 lines, one changed", pages(60_000), pages(60_000).with(30_000, "x\n")),
  () => input("50,000 lines, all different", pages(50_000), pages(50_000, "other")),
  () => {
    const random = randomFrom(2);
    return input("50,000 lines drawn from 500", drawn(50_000, 500, random), drawn(50_000, 500, random));
  },
  () => withSectionsMoved(2_000, randomFrom(3)),
  () => input("20,000 lines, shuffled", pages(20_000), shuffle(pages(20_000), randomFrom(4))),
  () => {
    const lines = pages(200_000).map((line) => line.slice(0, 50));
    return input("200,000 lines, reversed", lines, lines.toReversed(), "\n");
  },
  () => input("one line of 10 MiB", ["a".repeat(10 * mebibyte)], ["a".repeat(10 * mebibyte - 1), "b"]),
  () => {
    const empty = "\n".repeat(5_000_000);
    return input("5 million empty lines, with text between some", [empty], ["\nx".repeat(2_500_000), empty]);
  },
  () => input("10 MiB of short links, all changed", links("a"), links("b")),
  () => input("1.7 million short lines in another order", shortLines(1), shortLines(7)),
];
