import { noNewlineMark } from "./write-unified";

/** Why a text is not a unified diff, or does not fit the text that it was applied to. */
export class UnifiedError extends Error {}

type LineKind = "context" | "added" | "removed";

/** The ranges of a hunk's header; lines count from 1, and an empty range is named by the line in front of it. */
export type HunkHeader = { oldStart: number; oldLines: number; newStart: number; newLines: number };

/** What a reader of a diff is told, in the diff's order. `text` is without its line feed. */
type UnifiedVisitor = {
  hunk: (header: HunkHeader) => void;
  line: (kind: LineKind, text: string, isTerminated: boolean) => void;
};

const kinds: Record<string, LineKind> = { " ": "context", "+": "added", "-": "removed" };

function parseHeader(line: string): HunkHeader {
  const match = /^@@ -(\d{1,10})(?:,(\d{1,10}))? \+(\d{1,10})(?:,(\d{1,10}))? @@/.exec(line);
  if (!match) throw new UnifiedError(`Not a hunk's header: ${line.slice(0, 80)}`);
  const [oldStart, oldLines, newStart, newLines] = match.slice(1).map((digits) => Number(digits ?? 1));
  return { oldStart: oldStart!, oldLines: oldLines!, newStart: newStart!, newLines: newLines! };
}

/**
 * Reads a unified diff without file headers, line by line, in time in proportion to its length. Throws UnifiedError
 * where it is none. How many lines a hunk has is its header's word, so no content can pass for a header.
 */
export function visitUnified(diffText: string, { hunk, line }: UnifiedVisitor): void {
  let at = 0;
  const readLine = (): string => {
    const feed = diffText.indexOf("\n", at);
    const text = diffText.slice(at, feed < 0 ? diffText.length : feed);
    at = feed < 0 ? diffText.length : feed + 1;
    return text;
  };
  while (at < diffText.length) {
    const header = parseHeader(readLine());
    hunk(header);
    let { oldLines, newLines } = header;
    while (oldLines > 0 || newLines > 0) {
      if (at >= diffText.length) throw new UnifiedError("The diff ends within a hunk");
      const written = readLine();
      const kind = kinds[written[0] ?? ""];
      if (!kind) throw new UnifiedError(`Not a line of a hunk: ${written.slice(0, 80)}`);
      if (kind !== "added") oldLines--;
      if (kind !== "removed") newLines--;
      if (oldLines < 0 || newLines < 0) throw new UnifiedError("A hunk has more lines than its header says");
      const isTerminated = diffText[at] !== "\\";
      if (!isTerminated && readLine() !== noNewlineMark) throw new UnifiedError("Not a mark that a line feed lacks");
      line(kind, written.slice(1), isTerminated);
    }
  }
}

/** A line of a diff; `oldLine` and `newLine` count from 1 and are null on the side that lacks the line. */
export type HunkLine = {
  kind: LineKind;
  /** Without its line feed; a carriage return in front of that belongs to it. */
  text: string;
  oldLine: number | null;
  newLine: number | null;
  /** False for a last line without a line feed. */
  isTerminated: boolean;
};

export type Hunk = HunkHeader & { lines: HunkLine[] };

/** Reads a unified diff without file headers for showing it. Throws UnifiedError where it is none. */
export function parseUnified(diffText: string): Hunk[] {
  const hunks: Hunk[] = [];
  let [oldLine, newLine] = [0, 0];
  visitUnified(diffText, {
    hunk: (header) => {
      hunks.push({ ...header, lines: [] });
      oldLine = header.oldStart + (header.oldLines === 0 ? 1 : 0);
      newLine = header.newStart + (header.newLines === 0 ? 1 : 0);
    },
    line: (kind, text, isTerminated) => {
      hunks.at(-1)!.lines.push({
        kind,
        text,
        oldLine: kind === "added" ? null : oldLine++,
        newLine: kind === "removed" ? null : newLine++,
        isTerminated,
      });
    },
  });
  return hunks;
}

/**
 * The text that a unified diff without file headers makes of `before`. Each context line and removed line must stand
 * exactly where the diff says; throws UnifiedError otherwise.
 */
export function applyUnified(before: string, diffText: string): string {
  const parts: string[] = [];
  /** Where the next line of `before` starts, its number, and from where it has not been copied yet. */
  let [at, line, copied] = [0, 1, 0];
  visitUnified(diffText, {
    hunk: ({ oldStart, oldLines }) => {
      const target = oldStart + (oldLines === 0 ? 1 : 0);
      if (target < line) throw new UnifiedError("Hunks overlap or are out of order");
      for (; line < target; line++) {
        const feed = before.indexOf("\n", at);
        if (feed < 0) throw new UnifiedError(`The text has no line ${target}`);
        at = feed + 1;
      }
    },
    line: (kind, text, isTerminated) => {
      const whole = isTerminated ? `${text}\n` : text;
      if (kind === "added") {
        parts.push(before.slice(copied, at), whole);
        copied = at;
        return;
      }
      const isThere = before.startsWith(whole, at) && (isTerminated || at + whole.length === before.length);
      if (!isThere) throw new UnifiedError(`Line ${line} is not what the diff says`);
      if (kind === "removed") parts.push(before.slice(copied, at));
      at += whole.length;
      if (kind === "removed") copied = at;
      line++;
    },
  });
  parts.push(before.slice(copied));
  return parts.join("");
}
