import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextAttemptAt, retryWaitsMs } from "#lib/tracking/webhooks/sending/attempt-delivery";

const now = new Date("2026-03-01T00:00:00Z");
const dayMs = 24 * 60 * 60 * 1_000;
const waitOf = (attemptCount: number, retryAfterMs: number | null, random: number) => {
  const at = nextAttemptAt({ attemptCount, retryAfterMs }, { now, random: () => random });
  return at && at.getTime() - now.getTime();
};

describe("the wait after a failed attempt", () => {
  it("differs from the schedule by at most a fifth", () => {
    for (const [index, waitMs] of retryWaitsMs.entries()) {
      expect(waitOf(index + 1, null, 0)).toBe(waitMs * 0.8);
      expect(waitOf(index + 1, null, 0.5)).toBe(waitMs);
      expect(waitOf(index + 1, null, 1)).toBeCloseTo(waitMs * 1.2, 0);
    }
    expect(waitOf(retryWaitsMs.length + 1, null, 0)).toBe(null);
  });

  it("is never shorter than scheduled, nor than the wait requested within 24 h", () => {
    const anyCount = fc.integer({ min: 1, max: retryWaitsMs.length });
    const anyRandom = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(anyCount, fc.nat(3 * dayMs), anyRandom, (attemptCount, retryAfterMs, random) => {
        const waitMs = waitOf(attemptCount, retryAfterMs, random) as number;
        const turnMs = waitOf(attemptCount, null, random) as number;
        expect(waitMs).toBe(Math.max(turnMs, Math.min(retryAfterMs, dayMs)));
      }),
    );
  });
});
