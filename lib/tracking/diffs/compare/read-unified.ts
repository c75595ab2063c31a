import { noNewlineMark } from "./write-unified";

/** Thrown if a text is not a unified diff, or does not fit the text that it is applied to. */
export class UnifiedError extends Error {}

type LineKind = "context" | "added" | "removed";

/** Ranges of a hunk's header. Lines count from 1; an empty range is named by the line before it. */
export type HunkHeader = { oldStart: number; oldLines: number; newStart: number; newLines: number };

/** A line of a diff; `oldLine` and `newLine` count from 1 and are null on the side that lacks the line. */
export type HunkLine = {
  kind: LineKind;
  /** Without its line feed; includes a carriage return before it. */
  text: string;
  oldLine: number | null;
  newLine: number | null;
  /** False for a last line without a line feed. */
  isTerminated: boolean;
};

/** Callbacks for the hunks and lines of a diff, in order. */
type UnifiedVisitor = { hunk: (header: HunkHeader) => void; line: (line: HunkLine) => void };

const kinds: Record<string, LineKind> = { " ": "context", "+": "added", "-": "removed" };

function parseHeader(line: string): HunkHeader {
  const match = /^@@ -(\d{1,10})(?:,(\d{1,10}))? \+(\d{1,10})(?:,(\d{1,10}))? @@/.exec(line);
  if (!match) throw new UnifiedError(`Not a hunk header: ${line.slice(0, 80)}`);
  const [oldStart, oldLines, newStart, newLines] = match.slice(1).map((digits) => Number(digits ?? 1));
  return { oldStart: oldStart!, oldLines: oldLines!, newStart: newStart!, newLines: newLines! };
}

/**
 * Reads a unified diff without file headers, line by line, in linear time. Throws UnifiedError if it is invalid. The
 * header determines how many lines a hunk has, so content cannot be mistaken for a header.
 */
export function visitUnified(diffText: string, { hunk, line }: UnifiedVisitor): void {
  let at = 0;
  const readLine = (): string => {
    const newline = diffText.indexOf("\n", at);
    const text = diffText.slice(at, newline < 0 ? diffText.length : newline);
    at = newline < 0 ? diffText.length : newline + 1;
    return text;
  };
  while (at < diffText.length) {
    const header = parseHeader(readLine());
    hunk(header);
    let { oldLines, newLines } = header;
    let oldLine = header.oldStart + (oldLines === 0 ? 1 : 0);
    let newLine = header.newStart + (newLines === 0 ? 1 : 0);
    while (oldLines > 0 || newLines > 0) {
      if (at >= diffText.length) throw new UnifiedError("The diff ends inside a hunk");
      const written = readLine();
      const kind = kinds[written[0] ?? ""];
      if (!kind) throw new UnifiedError(`Not a hunk line: ${written.slice(0, 80)}`);
      if (kind !== "added") oldLines--;
      if (kind !== "removed") newLines--;
      if (oldLines < 0 || newLines < 0) throw new UnifiedError("A hunk has more lines than its header says");
      const isTerminated = diffText[at] !== "\\";
      if (!isTerminated && readLine() !== noNewlineMark) throw new UnifiedError(`Expected "${noNewlineMark}"`);
      line({
        kind,
        text: written.slice(1),
        oldLine: kind === "added" ? null : oldLine++,
        newLine: kind === "removed" ? null : newLine++,
        isTerminated,
      });
    }
  }
}

type Hunk = HunkHeader & { lines: HunkLine[] };

/** Parses a unified diff without file headers. Throws UnifiedError. */
export function parseUnified(diffText: string): Hunk[] {
  const hunks: Hunk[] = [];
  visitUnified(diffText, {
    hunk: (header) => hunks.push({ ...header, lines: [] }),
    line: (line) => hunks.at(-1)!.lines.push(line),
  });
  return hunks;
}
