import { randomInt } from "node:crypto";
import { findMoves, type MovedBlock } from "../compare/find-moves";
import { visitUnified } from "../compare/read-unified";
import { numberLines, splitLines } from "../compare/spans";

/** One side of a diff as a text, with a line between hunks that is never marked as changed. */
class Side {
  readonly #lines: string[] = [];
  readonly #marks: number[] = [];
  readonly #numbers: number[] = [];
  #next = 0;

  startHunk(start: number, count: number): void {
    if (this.#lines.length > 0) this.#push("\n", 0, 0);
    this.#next = start + (count === 0 ? 1 : 0);
  }

  add(text: string, isChanged: boolean): void {
    this.#push(text, isChanged ? 1 : 0, this.#next++);
  }

  #push(text: string, mark: number, number: number): void {
    this.#lines.push(text);
    this.#marks.push(mark);
    this.#numbers.push(number);
  }

  split(seed: number) {
    const text = this.#lines.join("");
    return splitLines(text, 0, text.length, seed);
  }

  get marks(): Uint8Array {
    return Uint8Array.from(this.#marks);
  }

  numberOf(line: number): number {
    return this.#numbers[line - 1]!;
  }
}

/** Returns the moved blocks of a unified diff: the same ones that comparing the two texts found. */
export function findDiffMoves(diffText: string): MovedBlock[] {
  const [before, after] = [new Side(), new Side()];
  visitUnified(diffText, {
    hunk: ({ oldStart, oldLines, newStart, newLines }) => {
      before.startHunk(oldStart, oldLines);
      after.startHunk(newStart, newLines);
    },
    line: (kind, text, isTerminated) => {
      const whole = isTerminated ? `${text}\n` : text;
      if (kind !== "added") before.add(whole, kind === "removed");
      if (kind !== "removed") after.add(whole, kind === "added");
    },
  });
  const seed = randomInt(2 ** 32) | 0;
  const [beforeLines, afterLines] = [before.split(seed), after.split(seed)];
  const marks = { removed: before.marks, added: after.marks, exact: true };
  return findMoves(beforeLines, numberLines(beforeLines, afterLines), marks, 0).map(
    ({ fromLine, toLine, lineCount }) => ({
      ...{ fromLine: before.numberOf(fromLine), toLine: after.numberOf(toLine) },
      lineCount,
    }),
  );
}
