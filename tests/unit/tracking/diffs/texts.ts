import fc from "fast-check";
import { codePoint } from "#tests/support/code-point";

/** Line ends and characters that only look like one; the last line may have no end. */
const ends = fc.constantFrom("\n", "\n", "\n", "\r\n", "\r", "\u2028", "\u2029", "\u0085", "\v", "");
const words = fc.constantFrom(
  "",
  "a",
  "b",
  "- [Guide](https://example.com/guide): start here",
  "+",
  "-",
  "\\ No newline",
  " x",
);
const line = fc
  .tuple(fc.oneof(words, fc.string({ unit: codePoint, maxLength: 6 })), ends)
  .map((parts) => parts.join(""));

/** Short texts whose lines often repeat. */
export const texts = fc.array(line, { maxLength: 40 }).map((lines) => lines.join(""));

/** A text and an edited version of it. */
export const versions = fc
  .tuple(fc.array(line, { maxLength: 60 }), fc.array(fc.tuple(fc.nat(), fc.nat({ max: 4 }), line), { maxLength: 5 }))
  .map(([lines, edits]) => {
    const after = [...lines];
    for (const [place, count, added] of edits) after.splice(place % (after.length + 1), count, added);
    return [lines.join(""), after.join("")] as const;
  });

/** Any two texts, related or not. */
export const pairs = fc.oneof(versions, fc.tuple(texts, texts));
