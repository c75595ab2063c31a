import { UnifiedError, visitUnified } from "./unified-lines";

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
