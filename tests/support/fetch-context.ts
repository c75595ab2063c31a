import { guardedFetch } from "#lib/platform/outbound/index";
import type { FileRequest } from "#lib/tracking/fetching/fetch-context";
import { type FetchContext, fetchFile, HostGate, RobotsCache } from "#lib/tracking/fetching/index";
import type { TestVendor, TestVendors } from "./test-vendors";

export const userAgent = "TapedeckBot/1.0 (+https://tapedeck.example/bot)";

/** Returns a clock that only waits and `pass` advance, so that tests do not take real time. */
export function createManualClock(startAt = new Date("2026-01-01T00:00:00Z")) {
  let nowMs = 0;
  const waits: number[] = [];
  return {
    waits,
    pass: (ms: number) => {
      nowMs += ms;
    },
    clock: { now: () => new Date(startAt.getTime() + nowMs), monotonicMs: () => nowMs },
    sleep: async (waitMs: number) => {
      waits.push(waitMs);
      nowMs += waitMs;
    },
  };
}

/** Returns a context for fetches from simulated vendors, with short timeouts. Each call starts a new run. */
export function fetchContext(testVendors: TestVendors, changes: Partial<FetchContext> = {}): FetchContext {
  const { clock, sleep } = createManualClock();
  const { allowedHosts } = testVendors;
  return {
    fetch: (url, options) =>
      guardedFetch(url, { headersTimeoutMs: 2_000, totalTimeoutMs: 4_000, ...options, allowedHosts }),
    userAgent,
    robots: new RobotsCache(),
    hosts: new HostGate(),
    clock,
    sleep,
    random: () => 0.5,
    deadlineMs: 1_000_000,
    ...changes,
  };
}

/** Fetches the file of the first vendor in its own run. */
export function fetchFirst(
  testVendors: TestVendors,
  changes: Partial<FetchContext> = {},
  known: Partial<FileRequest> = {},
) {
  const [{ url }] = testVendors.vendors as [TestVendor];
  return fetchFile({ url, etag: null, lastModified: null, ...known }, fetchContext(testVendors, changes));
}
