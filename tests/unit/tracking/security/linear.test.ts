import { describe, expect, it } from "vitest";
import { scoreSecurity } from "#lib/tracking/security/score-security";
import { isExtended } from "#tests/support/extended";
import { seededRandom } from "#tests/support/seeded-random";
import { readTexts } from "./samples";

/** Pieces that are repeated to texts in which a careless search would read the same characters again and again. */
const pieces = readTexts<string[]>("linear-pieces.yaml");
const random = seededRandom("linear");
/** All pieces with `--extended`, else four of them. */
const chosen = isExtended
  ? pieces
  : Array.from({ length: 4 }, () => pieces[Math.floor(random() * pieces.length)] ?? "");

/** CPU time in milliseconds, which other processes do not lengthen. */
const timeOf = (text: string) => {
  const before = process.cpuUsage();
  scoreSecurity(text, { domain: "example.com" });
  return process.cpuUsage(before).user / 1_000;
};
const textOf = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

const shortLength = 64 * 1_024;
const factor = 8;
/** Times below this say nothing, in milliseconds. */
const minMs = 60;

/** Whether eight times the text takes less than 24 times as long. In quadratic time it would take 64 times as long. */
function isLinear(piece: string): boolean {
  const longMs = timeOf(textOf(piece, factor * shortLength));
  if (longMs < minMs) return true;
  const short = textOf(piece, shortLength);
  return longMs < 3 * factor * Math.min(timeOf(short), timeOf(short), timeOf(short));
}

describe("scoring takes linear time", () => {
  // A pause of the garbage collector can spoil any one measurement.
  it.each(chosen)("for repetitions of %j", (piece) => {
    expect(isLinear(piece) || isLinear(piece) || isLinear(piece)).toBe(true);
  });
});
