import { type HunkLine, parseUnified } from "#lib/tracking/diffs/index";

/** Most of a diff that is sent, in bytes of UTF-8. */
export const maxSentByteSize = 24 * 1_024;
/** Longest line that is sent whole, in UTF-16 code units. */
const maxLineLength = 1_000;

/** How a line is told: what moved has marks of its own, so that it is not taken for news. */
const marks = { context: " ", removed: "-", added: "+", movedAway: "<", movedHere: ">" };
type SentLine = { mark: string; text: string };

/** Format characters, by which text can be hidden from people, controls but the tab, and halves of characters. */
const invisible = /[\p{Cf}\p{Co}\p{Cn}\p{Cs}]|(?!\t)\p{Cc}/gu;

function sentText(text: string): string {
  const shown = text.slice(0, maxLineLength).replace(invisible, "");
  return text.length > maxLineLength ? `${shown}…` : shown;
}

/** How often each text stands on both sides. */
function countMoved(lines: readonly HunkLine[]): Map<string, number> {
  const sides = new Map<string, { removed: number; added: number }>();
  for (const { kind, text } of lines) {
    if (kind === "context" || text.trim() === "") continue;
    const counts = sides.get(text) ?? { removed: 0, added: 0 };
    counts[kind] += 1;
    sides.set(text, counts);
  }
  return new Map([...sides].map(([text, { removed, added }]) => [text, Math.min(removed, added)]));
}

function markLines(lines: readonly HunkLine[]): SentLine[] {
  const left = { removed: countMoved(lines), added: countMoved(lines) };
  return lines.map(({ kind, text }) => {
    if (kind === "context") return { mark: marks.context, text };
    const count = left[kind].get(text) ?? 0;
    if (count === 0) return { mark: marks[kind], text };
    left[kind].set(text, count - 1);
    return { mark: kind === "removed" ? marks.movedAway : marks.movedHere, text };
  });
}

const written = ({ mark, text }: SentLine) => `${mark}${sentText(text)}\n`;

/** As many lines as fit, in order. */
function cut(lines: readonly string[], byteSize: number): string[] {
  const kept: string[] = [];
  let left = byteSize;
  for (const line of lines) {
    left -= Buffer.byteLength(line);
    if (left < 0) break;
    kept.push(line);
  }
  return kept;
}

/** A diff as a model is shown it, and how many of its lines are not. */
export type PromptDiff = { text: string; omittedLineCount: number };

/**
 * Renders a unified diff for a model, `maxSentByteSize` at most: moved lines are marked `<` and `>`, characters that
 * nobody sees are left out. Of a long diff first the context and what moved goes, then its end.
 */
export function renderDiff(diffText: string, maxByteSize = maxSentByteSize): PromptDiff {
  const hunks = parseUnified(diffText).map(({ lines }) => lines);
  const all = markLines(hunks.flat());
  const whole: string[] = [];
  let next = 0;
  for (const lines of hunks) {
    whole.push("@@\n", ...all.slice(next, next + lines.length).map(written));
    next += lines.length;
  }
  const text = whole.join("");
  if (Buffer.byteLength(text) <= maxByteSize) return { text, omittedLineCount: 0 };
  const news = all.filter(({ mark }) => mark === marks.removed || mark === marks.added).map(written);
  const kept = cut(news, maxByteSize);
  return { text: kept.join(""), omittedLineCount: all.length - kept.length };
}
