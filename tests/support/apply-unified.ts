import { UnifiedError, visitUnified } from "#lib/tracking/diffs/compare/read-unified";

/**
 * Applies a unified diff without file headers to `before` and returns the result. Throws UnifiedError unless every
 * context line and removed line is exactly where the diff says.
 */
export function applyUnified(before: string, diffText: string): string {
  const parts: string[] = [];
  /** Start of the next line of `before`, its number, and the position up to which `before` has been copied. */
  let [at, line, copied] = [0, 1, 0];
  visitUnified(diffText, {
    hunk: ({ oldStart, oldLines }) => {
      const target = oldStart + (oldLines === 0 ? 1 : 0);
      if (target < line) throw new UnifiedError("Hunks overlap or are out of order");
      for (; line < target; line++) {
        const newline = before.indexOf("\n", at);
        if (newline < 0) throw new UnifiedError(`The text has no line ${target}`);
        at = newline + 1;
      }
    },
    line: ({ kind, text, isTerminated }) => {
      const whole = isTerminated ? `${text}\n` : text;
      if (kind === "added") {
        parts.push(before.slice(copied, at), whole);
        copied = at;
        return;
      }
      const isThere = before.startsWith(whole, at) && (isTerminated || at + whole.length === before.length);
      if (!isThere) throw new UnifiedError(`Line ${line} differs from the diff`);
      if (kind === "removed") parts.push(before.slice(copied, at));
      at += whole.length;
      if (kind === "removed") copied = at;
      line++;
    },
  });
  parts.push(before.slice(copied));
  return parts.join("");
}
