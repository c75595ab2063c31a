import { expect, test } from "vitest";
import { compareTimes, equalMs, formatSentAt } from "#lib/replay/recording-proxy/moved-times";
import { replaceVolatileText } from "#lib/replay/recording-proxy/volatile-text";

/** Returns the times of a text. */
function timesOf(text: string): string[] {
  const found: string[] = [];
  replaceVolatileText(text, [], undefined, false, found);
  return found;
}

/** Whether a recorded text may stand for one of now. */
function isAccepted(was: string, is: string, recordedAt: string | undefined, now: string): boolean {
  const [recorded, asked] = [was, is].map(timesOf) as [string[], string[]];
  expect(recorded.length).toBe(asked.length);
  expect(asked.length).toBeGreaterThan(0);
  return compareTimes({ times: recorded, sentAt: recordedAt }, { times: asked, sentAt: now }) < Infinity;
}

const recordedAt = "2026-11-28T10:00:00+01:00";
const now = "2026-12-02T15:30:00+01:00";

test.each([
  ["2026-11-28T09:00:00Z", "2026-12-02T14:30:01.25Z"],
  ["2026-11-28T10:00:00+01:00", "2026-12-02T08:30:00-06:00"],
  ["2026-11-28T10:00:00+0100", "2026-12-02 15:30:00+0100"],
  ["20261128T090000Z", "20261202T143000Z"],
  ["1795856400123", "1796221800000"],
  ["1795856400.123", "1796221800.5"],
  ["from 2026-11-28T10:00 to 2026-12-28T10:00", "from 2026-12-02T15:30 to 2027-01-01T15:30"],
  ["Saturday, 28 November 2026 10:00:00", "Wednesday, 2 December 2026 15:30:00"],
  ["Sat, 28 Nov 2026 09:00:00 GMT", "Wed, 02 Dec 2026 14:30:00 GMT"],
  ["Sat, 28 Nov 2026 10:00:00 +0100", "Wed, 02 Dec 2026 15:30:00 +0100"],
  ["Sat Nov 28 2026 10:00:00 GMT+0100 (CET)", "Wed Dec 02 2026 15:30:00 GMT+0100 (CET)"],
  ["Sat Nov 28 10:00:00 2026", "Wed Dec  2 15:30:00 2026"],
  ["November 28, 2026 at 10:00 AM", "December 2, 2026 at 3:30 PM"],
])("a time that moved as the clock did is accepted: %s, %s", (was, is) => {
  expect(isAccepted(was, is, recordedAt, now)).toBe(true);
  expect(isAccepted(was, is, "2026-11-28", now)).toBe(true);
  expect(isAccepted(was, is, recordedAt, "2026-12-04T15:30:00+01:00")).toBe(false);
});

test.each([
  ["stays, as of a clock that is set", "2020-01-01T10:00:00Z", "2020-01-01T10:00:03Z", true],
  ["is another constant", "2026-12-01T10:00:00Z", "2027-03-15T18:30:00Z", false],
  ["is another constant in milliseconds", "1712345678901", "1798765432109", false],
  ["is rounded to the hour", "2026-11-28T09:00:00Z", "2026-12-02T14:00:00Z", true],
  ["is rounded to midnight", "2026-11-28T00:00:00", "2026-12-02T00:00:00", true],
  ["is the end of the day", "2026-11-28T23:59:59.999", "2026-12-02T23:59:59.999", true],
  ["is midnight here, in UTC", "2026-11-27T23:00:00.000Z", "2026-12-01T23:00:00.000Z", true],
  ["is at nine on the next day", "2026-11-29T09:00:00", "2026-12-03T09:00:00", true],
  ["is at nine here on the next day, in UTC", "2026-11-29T08:00:00Z", "2026-12-03T08:00:00Z", true],
  ["is at nine on another day", "2026-11-29T09:00:00", "2026-12-04T09:00:00", false],
  ["is another midnight", "2026-11-28T00:00:00", "2026-12-03T00:00:00", false],
  ["is no date", "2026-13-41T25:00", "2026-13-42T25:00", false],
  ["is one of two that moved", "2026-11-28T10:00 2026-12-24T18:00", "2026-12-02T15:30 2026-12-25T18:00", false],
] as const)("a time that %s", (_what, was, is, isMatch) => {
  expect(isAccepted(was, is, recordedAt, now)).toBe(isMatch);
});

test("a local time is one of the zone of each run, or of UTC", () => {
  const utc = "2026-12-02T14:30:00+00:00";
  expect(isAccepted("2026-11-28 10:00", "2026-12-02 14:30", recordedAt, utc)).toBe(true);
  expect(isAccepted("2026-11-28 09:00", "2026-12-02 14:30", recordedAt, utc)).toBe(true);
  expect(isAccepted("2026-11-28 10:00", "2026-12-02 17:30", recordedAt, utc)).toBe(false);
});

test("a constant of the same day does not pass for midnight of another day a few minutes later", () => {
  const later = "2026-11-28T10:05:00+01:00";
  expect(isAccepted("2026-12-01T00:00:00Z", "2026-12-02T00:00:00Z", recordedAt, later)).toBe(false);
  expect(isAccepted("2026-12-01T10:00:00Z", "2026-12-01T12:00:00Z", recordedAt, later)).toBe(false);
});

test("requests may have very many times", () => {
  const times = Array<string>(1_000_000).fill("2026-12-01T10:00:00Z");
  expect(compareTimes({ times, sentAt: recordedAt }, { times, sentAt: now })).toBe(0);
});

test("where it is not known when a request was recorded, any time is accepted", () => {
  expect(isAccepted("2026-12-01T10:00:00Z", "2027-03-15T18:30:00Z", undefined, now)).toBe(true);
});

test("the nearest is that which moved as the clock did, and a time that stayed is not nearer", () => {
  const offOf = (was: string, is: string) =>
    compareTimes({ times: [was], sentAt: recordedAt }, { times: [is], sentAt: "2026-11-28T11:00:00+01:00" });
  expect(offOf("2026-11-28T12:00:00Z", "2026-11-28T13:00:00Z")).toBe(0);
  expect(offOf("2026-11-28T13:00:05Z", "2026-11-28T13:00:00Z")).toBeGreaterThan(equalMs);
});

test("the time of a request has the offset of this machine's zone", () => {
  const at = new Date(1_795_788_296_405);
  expect(Date.parse(formatSentAt(at))).toBe(1_795_788_296_000);
  expect(formatSentAt(at)).toMatch(/T\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
});
