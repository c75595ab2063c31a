import { guardedFetch } from "#lib/platform/outbound/index";
import {
  type FetchContext,
  type FileRequest,
  fetchFile,
  HostGate,
  RobotsCache,
} from "#lib/tracking/snapshots/fetching/index";
import type { TestVendor, TestVendors } from "./test-vendors";

export const userAgent = "TapedeckBot/1.0 (+https://tapedeck.example/bot)";

/** A clock that goes on by what is waited for alone, so that no test waits. */
export function manualClock(startAt = new Date("2026-01-01T00:00:00Z")) {
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

/** A context for fetches from a world, with short times; each call starts a run of its own. */
export function fetchContext(world: TestVendors, changes: Partial<FetchContext> = {}): FetchContext {
  const { clock, sleep } = manualClock();
  const { allowedHosts } = world;
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

/** The first vendor of a world, fetched in a run of its own. */
export function fetchFirst(world: TestVendors, changes: Partial<FetchContext> = {}, known: Partial<FileRequest> = {}) {
  const [{ url }] = world.vendors as [TestVendor];
  return fetchFile({ url, etag: null, lastModified: null, ...known }, fetchContext(world, changes));
}
