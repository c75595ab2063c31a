/** Two versions of a text to compare. */
export type DiffInput = { name: string; before: string; after: string };

/** Returns a generator of numbers from 0 to 1, the same in every run (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

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

/** Returns typical versions of files, and texts designed to be slow, none over 10 MiB. Created for each call. */
export const inputMakers: (() => DiffInput)[] = [
  () => {
    const lines = times(45_000, (line) => linkLine(line));
    const after = join(withShareChanged(lines, 0.05, seededRandom(1)));
    return { name: "45,000 lines, 5 % changed", before: join(lines), after };
  },
  () => {
    const lines = times(60_000, (line) => linkLine(line));
    return { name: "60,000 lines, one changed", before: join(lines), after: join(lines.with(30_000, "x\n")) };
  },
  () => ({
    name: "50,000 lines, all different",
    before: join(times(50_000, (line) => linkLine(line))),
    after: join(times(50_000, (line) => linkLine(line, "other"))),
  }),
  () => {
    const random = seededRandom(2);
    const pick = () => linkLine(Math.floor(random() * 500));
    return { name: "50,000 lines drawn from 500", before: join(times(50_000, pick)), after: join(times(50_000, pick)) };
  },
  () => withSectionsMoved(2_000, seededRandom(3)),
  () => {
    const lines = times(20_000, (line) => linkLine(line));
    return { name: "20,000 lines, shuffled", before: join(lines), after: join(shuffle(lines, seededRandom(4))) };
  },
  () => {
    const lines = times(200_000, (line) => linkLine(line).slice(0, 50));
    return { name: "200,000 lines, reversed", before: lines.join("\n"), after: lines.toReversed().join("\n") };
  },
  () => ({ name: "one line of 10 MiB", before: "a".repeat(10 * mebibyte), after: `${"a".repeat(10 * mebibyte - 1)}b` }),
  () => {
    const empty = "\n".repeat(5_000_000);
    return {
      name: "5 million empty lines, and text between",
      before: empty,
      after: `${"\nx".repeat(2_500_000)}${empty}`,
    };
  },
  () => {
    const before = join(times(1_747_626, (line) => `${(line % 100_000).toString(36).padStart(5, "0")}\n`));
    const after = join(times(1_747_626, (line) => `${((line * 7) % 100_000).toString(36).padStart(5, "0")}\n`));
    return { name: "1.7 million short lines in another order", before, after };
  },
  () => ({
    name: "10 MiB of short links, all changed",
    before: join(times(600_000, (line) => `http://a/${line.toString(36)}\n`)),
    after: join(times(600_000, (line) => `http://b/${line.toString(36)}\n`)),
  }),
];
