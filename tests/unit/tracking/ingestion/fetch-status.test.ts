import { describe, expect, it } from "vitest";
import { type FetchStatus, statusAfterFailure, statusAfterSuccess } from "#lib/tracking/ingestion/fetch-status";

const hourMs = 60 * 60 * 1_000;
const now = new Date("2026-03-01T00:00:00Z");
const maxIntervalMs = 168 * hourMs;
const timing = { now, random: () => 0.5, maxIntervalMs };
const active: FetchStatus = { status: "active", failureCount: 0, failingSince: null, fetchIntervalS: null };
const fetched = { intervalMs: 6 * hourMs, maxIntervalMs, isChanged: false };
const failed = { detail: "a.example answered 500", retryAfterMs: null };
const hoursLater = (hours: number) => new Date(now.getTime() + hours * hourMs);

describe("a vendor whose fetches fail", () => {
  it("is retried after 1, 2, 4, 8 and 16 hours, and then daily", () => {
    const waits = [0, 1, 2, 3, 4, 5, 6].map((failureCount) => {
      const { nextFetchAt } = statusAfterFailure({ ...active, failureCount, failingSince: now }, failed, timing);
      return (nextFetchAt.getTime() - now.getTime()) / hourMs;
    });
    expect(waits).toEqual([1, 2, 4, 8, 16, 24, 24]);
    const bounded = { ...timing, maxIntervalMs: 6 * hourMs };
    const failing = { ...active, failureCount: 9, failingSince: now };
    expect(statusAfterFailure(failing, failed, bounded).nextFetchAt).toEqual(hoursLater(6));
  });

  it("becomes unreachable at the fifth consecutive failure only after a day", () => {
    const afterFourth = { ...active, failureCount: 4, failingSince: now };
    const early = statusAfterFailure(afterFourth, failed, { ...timing, now: hoursLater(23.9) });
    expect(early).toMatchObject({ status: "active", failureCount: 5, reason: null });
    const late = statusAfterFailure(afterFourth, failed, { ...timing, now: hoursLater(24) });
    expect(late).toMatchObject({ status: "unreachable", failureCount: 5 });
    expect(late.reason).toBe("5 consecutive fetches failed since 2026-03-01T00:00:00.000Z: a.example answered 500");
    const fourth = { ...active, failureCount: 3, failingSince: now };
    expect(statusAfterFailure(fourth, failed, { ...timing, now: hoursLater(48) }).status).toBe("active");
  });

  it("is retried daily while it is unreachable", () => {
    const lost: FetchStatus = { status: "unreachable", failureCount: 40, failingSince: now, fetchIntervalS: null };
    const next = statusAfterFailure(lost, failed, timing);
    expect(next).toMatchObject({ status: "unreachable", nextFetchAt: hoursLater(24), reason: null });
  });

  it("is not fetched before the time that it requested", () => {
    const asked = { ...failed, retryAfterMs: 5 * hourMs };
    expect(statusAfterFailure(active, asked, timing).nextFetchAt).toEqual(hoursLater(5));
    const briefly = { ...failed, retryAfterMs: 1_000 };
    expect(statusAfterFailure(active, briefly, timing).nextFetchAt).toEqual(hoursLater(1));
  });
});

describe("a vendor whose fetch succeeds", () => {
  it("is due again after the interval, give or take a tenth", () => {
    const at = (random: number) =>
      statusAfterSuccess(active, fetched, { now, random: () => random }).nextFetchAt.getTime() - now.getTime();
    expect([at(0), at(0.5), at(1)].map((ms) => ms / hourMs)).toEqual(
      [5.4, 6, 6.6].map((hours) => expect.closeTo(hours, 6)),
    );
  });

  it("is active again, with its failures reset", () => {
    const lost: FetchStatus = { status: "unreachable", failureCount: 9, failingSince: now, fetchIntervalS: null };
    expect(statusAfterSuccess(lost, fetched, timing)).toMatchObject({
      status: "active",
      failureCount: 0,
      failingSince: null,
      reason: "the file could be fetched again",
    });
    expect(statusAfterSuccess({ ...active, failureCount: 2 }, fetched, timing).reason).toBeNull();
  });

  it("stays paused if an operator has paused it", () => {
    expect(statusAfterSuccess({ ...active, status: "paused" }, fetched, timing)).toMatchObject({
      status: "paused",
      reason: null,
    });
  });

  it("is fetched more often the more it changes, within bounds around the configured interval", () => {
    const hoursAfter = (outcomes: boolean[], intervalMs = 6 * hourMs, longestMs = maxIntervalMs) =>
      (outcomes.reduce<number | null>(
        (fetchIntervalS, isChanged) =>
          statusAfterSuccess({ ...active, fetchIntervalS }, { intervalMs, maxIntervalMs: longestMs, isChanged }, timing)
            .fetchIntervalS,
        null,
      ) as number) / 3_600;
    const times = (count: number, isChanged: boolean) => Array.from({ length: count }, () => isChanged);
    expect(hoursAfter([true])).toBe(6);
    expect(hoursAfter([true, true])).toBe(3);
    expect(hoursAfter([true, false])).toBe(7.5);
    expect(hoursAfter(times(20, true))).toBe(1);
    expect(hoursAfter(times(40, false))).toBe(48);
    expect(hoursAfter(times(40, true), hourMs)).toBe(1);
    expect(hoursAfter(times(40, false), 168 * hourMs)).toBe(168);
    expect(hoursAfter(times(40, false), 6 * hourMs, 12 * hourMs)).toBe(12);
    expect(hoursAfter([true], 6 * hourMs, 2 * hourMs)).toBe(2);
  });
});
