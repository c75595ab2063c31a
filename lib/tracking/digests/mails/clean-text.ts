/** Line ends and other control characters, and characters that change the direction of the text around them. */
const controls = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Returns a text on one line, without characters that change what surrounds it, with at most `maxLength` code points. */
export function cleanText(text: string, maxLength: number): string {
  const points = [...text.replace(controls, " ").trim()];
  return points.length <= maxLength ? points.join("") : `${points.slice(0, maxLength - 1).join("")}…`;
}
