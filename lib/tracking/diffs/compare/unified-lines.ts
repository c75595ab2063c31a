import { noNewlineMark } from "./write-unified";

/** Why a text is not a unified diff, or does not fit the text that it was applied to. */
export class UnifiedError extends Error {}

export type LineKind = "context" | "added" | "removed";

/** The ranges of a hunk's header; lines count from 1, and an empty range is named by the line in front of it. */
export type HunkHeader = { oldStart: number; oldLines: number; newStart: number; newLines: number };

/** What a reader of a diff is told, in the diff's order. `text` is without its line feed. */
export type UnifiedVisitor = {
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
