import { describe, expect, it } from "vitest";
import { scoreSecurity } from "#lib/tracking/snapshots/security/score-security";
import { blockedScore } from "#lib/tracking/vendor-access/index";
import { type AttackFamily, carrier, domain, filesOf, type Half } from "./attack-sets";

const scoresOf = (family: AttackFamily, half: Half) =>
  filesOf(family, half).map(({ line, file }) => ({ line, score: scoreSecurity(file, { domain }).score }));

/** Lines of a half with a lower score, and the share of the others. */
function compare(family: AttackFamily, half: Half, minScore: number) {
  const scores = scoresOf(family, half);
  const missed = scores.filter(({ score }) => score < minScore).map(({ line }) => line);
  return { share: 1 - missed.length / scores.length, message: `Missed:\n${missed.join("\n")}` };
}

/** The share of the tuned half is the goal. That of the unseen half is somewhat below what was measured. */
describe("attacks at random places of a file", () => {
  it("the file alone scores 0", () => expect(scoreSecurity(carrier, { domain }).score).toBe(0));

  it.each<[AttackFamily, number, number]>([
    ["override-english", 0.9, 0.8],
    ["override-other", 0.7, 0.7],
    ["exfiltration", 0.9, 0.85],
    ["role", 0.8, 0.8],
    ["hidden", 0.95, 0.88],
  ])(
    "are blocked: %s, at least a share of %d, and of %d of those written before the rules",
    (family, tuned, unseen) => {
      for (const [half, goal] of [
        ["tuned", tuned],
        ["unseen", unseen],
      ] as const) {
        const { share, message } = compare(family, half, blockedScore);
        expect(share, message).toBeGreaterThanOrEqual(goal);
      }
    },
  );

  it.each<[AttackFamily, number, number]>([
    ["agents", 0.95, 0.55],
    ["remote-scripts", 0.95, 0.5],
  ])("are found: %s, at least a share of %d, and of %d of those written before the rules", (family, tuned, unseen) => {
    for (const [half, goal] of [
      ["tuned", tuned],
      ["unseen", unseen],
    ] as const) {
      const { share, message } = compare(family, half, 1);
      expect(share, message).toBeGreaterThanOrEqual(goal);
    }
  });
});

describe("harmless lines that look like attacks", () => {
  it("are never blocked", () => {
    const scores = [...scoresOf("benign", "tuned"), ...scoresOf("benign", "unseen")];
    expect(scores.filter(({ score }) => score >= blockedScore)).toEqual([]);
  });
});
