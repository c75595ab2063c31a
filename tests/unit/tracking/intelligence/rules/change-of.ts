import { compareTexts } from "#lib/tracking/diffs/index";
import type { Change } from "#lib/tracking/intelligence/analysis";

/** Returns a change in the form that the rules receive. */
export function changeOf(before: string | null, after: string, securityScore = 0, previousSecurityScore = 0): Change {
  const comparison = before === null ? null : compareTexts(before, after);
  return { before, after, name: "Acme", domain: "acme.example", comparison, securityScore, previousSecurityScore };
}

/** Returns a list of links: `- [Page 1](https://acme.example/1)` and so on. */
export function links(from: number, to: number, folder = ""): string {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return numbers.map((number) => `- [Page ${number}](https://acme.example/${folder}${number})\n`).join("");
}
