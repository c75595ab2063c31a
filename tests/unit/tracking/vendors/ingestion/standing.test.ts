import { describe, expect, it } from "vitest";
import { type Standing, standingAfterFailure, standingAfterSuccess } from "#lib/tracking/vendors/ingestion/standing";

const hourMs = 60 * 60 * 1_000;
const now = new Date("2026-03-01T00:00:00Z");
const timing = { now, random: () => 0.5 };
const active: Standing = { status: "active", failureCount: 0, failingSince: null };
const failed = { detail: "a.example answered 500", retryAfterMs: null };
const hoursLater = (hours: number) => new Date(now.getTime() + hours * hourMs);

describe("a vendor whose fetches fail", () => {
  it("is tried again after 1, 2, 4, 8 and 16 hours, and daily from then on", () => {
    const waits = [0, 1, 2, 3, 4, 5, 6].map((failureCount) => {
      const { nextFetchAt } = standingAfterFailure({ ...active, failureCount, failingSince: now }, failed, timing);
      return (nextFetchAt.getTime() - now.getTime()) / hourMs;
    });
    expect(waits).toEqual([1, 2, 4, 8, 16, 24, 24]);
  });

  it("becomes unreachable at the fifth failure in a row only where they span a day", () => {
    const afterFourth = { ...active, failureCount: 4, failingSince: now };
    const early = standingAfterFailure(afterFourth, failed, { ...timing, now: hoursLater(23.9) });
    expect(early).toMatchObject({ status: "active", failureCount: 5, reason: null });
    const late = standingAfterFailure(afterFourth, failed, { ...timing, now: hoursLater(24) });
    expect(late).toMatchObject({ status: "unreachable", failureCount: 5 });
    expect(late.reason).toBe("5 fetches in a row failed since 2026-03-01T00:00:00.000Z: a.example answered 500");
    const fourth = { ...active, failureCount: 3, failingSince: now };
    expect(standingAfterFailure(fourth, failed, { ...timing, now: hoursLater(48) }).status).toBe("active");
  });

  it("is tried daily while it is unreachable", () => {
    const lost: Standing = { status: "unreachable", failureCount: 40, failingSince: now };
    const next = standingAfterFailure(lost, failed, timing);
    expect(next).toMatchObject({ status: "unreachable", nextFetchAt: hoursLater(24), reason: null });
  });

  it("is left alone for as long as it asked", () => {
    const asked = { ...failed, retryAfterMs: 5 * hourMs };
    expect(standingAfterFailure(active, asked, timing).nextFetchAt).toEqual(hoursLater(5));
    const briefly = { ...failed, retryAfterMs: 1_000 };
    expect(standingAfterFailure(active, briefly, timing).nextFetchAt).toEqual(hoursLater(1));
  });
});

describe("a vendor whose fetch succeeds", () => {
  it("is due again after the interval, a tenth more or less", () => {
    const at = (random: number) =>
      standingAfterSuccess(active, 6 * hourMs, { now, random: () => random }).nextFetchAt.getTime() - now.getTime();
    expect([at(0), at(0.5), at(1)].map((ms) => ms / hourMs)).toEqual(
      [5.4, 6, 6.6].map((hours) => expect.closeTo(hours, 6)),
    );
  });

  it("is active again, with its failures forgotten", () => {
    const lost: Standing = { status: "unreachable", failureCount: 9, failingSince: now };
    expect(standingAfterSuccess(lost, hourMs, timing)).toMatchObject({
      ...{ status: "active", failureCount: 0, failingSince: null },
      reason: "a fetch gave the file again",
    });
    expect(standingAfterSuccess({ ...active, failureCount: 2 }, hourMs, timing).reason).toBeNull();
  });

  it("stays paused where an operator has paused it", () => {
    expect(standingAfterSuccess({ ...active, status: "paused" }, hourMs, timing)).toMatchObject({
      ...{ status: "paused", reason: null },
    });
  });
});
