import { describe, expect, it } from "vitest";
import { blockedScore } from "#lib/contract/blocked-content";
import { scoreSecurity } from "#lib/tracking/security/score-security";
import { type AttackFamily, carrier, domain, filesOf, filesOfThird, type Half } from "./attack-sets";

const scoresOf = (family: AttackFamily, half: Half) =>
  filesOf(family, half).map(({ line, file }) => ({ line, score: scoreSecurity(file, { domain }).score }));

/** Lines of a half with a lower score, and the share of the others. */
function compare(family: AttackFamily, half: Half, minScore: number) {
  const scores = scoresOf(family, half);
  const missed = scores.filter(({ score }) => score < minScore).map(({ line }) => line);
  return { share: 1 - missed.length / scores.length, message: `Missed:\n${missed.join("\n")}` };
}

/** Each share is one or two lines below what was measured, because a few lines are found at most places only. */
describe("attacks at random places of a file", () => {
  it("the file alone scores 0", () => expect(scoreSecurity(carrier, { domain }).score).toBe(0));

  it.each<[AttackFamily, Half, number]>([
    ["override-english", "tuned", 0.93],
    ["override-english", "unseen", 0.93],
    ["override-english", "second", 0.75],
    ["override-other", "tuned", 0.96],
    ["override-other", "unseen", 0.92],
    ["exfiltration", "tuned", 0.88],
    ["exfiltration", "unseen", 0.88],
    ["role", "tuned", 0.92],
    ["role", "unseen", 0.88],
    ["hidden", "tuned", 0.95],
    ["hidden", "unseen", 0.95],
    ["hidden", "second", 0.9],
    ["agents", "tuned", 0.95],
    ["agents", "unseen", 0.88],
    ["agents", "second", 0.7],
  ])("are blocked: %s, %s, at least a share of %d", (family, half, goal) => {
    const { share, message } = compare(family, half, blockedScore);
    expect(share, message).toBeGreaterThanOrEqual(goal);
  });

  it.each<[AttackFamily, Half, number]>([
    ["remote-scripts", "tuned", 0.95],
    ["remote-scripts", "unseen", 0.85],
    ["remote-scripts", "second", 0.9],
  ])("are found: %s, %s, at least a share of %d", (family, half, goal) => {
    const { share, message } = compare(family, half, 1);
    expect(share, message).toBeGreaterThanOrEqual(goal);
  });

  it.each([
    ["tuned", 0.9],
    ["unseen", 0.72],
  ] as const)("of the third set are blocked: %s, at least a share of %d", (half, goal) => {
    const files = filesOfThird(half);
    const blocked = files.filter(({ file }) => scoreSecurity(file, { domain }).score >= blockedScore);
    expect(blocked.length / files.length).toBeGreaterThanOrEqual(goal);
  });
});

describe("harmless lines that look like attacks", () => {
  it("are never blocked", () => {
    const scores = (["tuned", "unseen", "second"] as const).flatMap((half) => scoresOf("benign", half));
    expect(scores.filter(({ score }) => score >= blockedScore)).toEqual([]);
  });
});
