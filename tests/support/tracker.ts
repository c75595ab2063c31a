import { pino } from "pino";
import type { Database } from "#lib/platform/database/index";
import { systemIds } from "#lib/platform/ids";
import { guardedFetch } from "#lib/platform/outbound/index";
import { announceChanges } from "#lib/server/notifications/index";
import { HostGate, RobotsCache } from "#lib/tracking/fetching/index";
import {
  type DueVendor,
  findDueVendors,
  findVendorsToFetch,
  sourceOf,
  type TrackVendorsContext,
  trackVendors,
} from "#lib/tracking/index";
import { createManualClock, userAgent } from "./fetch-context";
import type { TestVendors } from "./test-vendors";
import { addVendor } from "./vendor-rows";

export const hourMs = 60 * 60 * 1_000;
export const dayMs = 24 * hourMs;

/** Adds simulated vendors to a database and returns functions that fetch them on a manual clock. */
export async function createTracker(
  database: Database,
  testVendors: TestVendors,
  startAt = new Date("2026-03-01T00:00:00Z"),
) {
  const { clock, pass, sleep, waits } = createManualClock(startAt);
  for (const { slug, name, url, host } of testVendors.vendors) {
    await addVendor(database, { slug, name, llmsTxtUrl: url, domain: host, at: clock.now() });
  }
  const contextOf = (changes: Partial<TrackVendorsContext> = {}): TrackVendorsContext => ({
    database,
    clock,
    ids: systemIds,
    log: pino({ level: "silent" }),
    runId: systemIds.next(),
    fetch: (url, options) =>
      guardedFetch(url, {
        headersTimeoutMs: 4_000,
        totalTimeoutMs: 6_000,
        ...options,
        allowedHosts: testVendors.allowedHosts,
      }),
    robots: new RobotsCache(),
    hosts: new HostGate(),
    userAgent,
    sleep,
    random: () => 0.5,
    intervalMs: 6 * hourMs,
    maxIntervalMs: 168 * hourMs,
    announceChanges,
    deadlineMs: clock.monotonicMs() + dayMs,
    ...changes,
  });
  const dueVendors = async (): Promise<DueVendor[]> => {
    const rows = await database.vendor.findMany({ select: { id: true } });
    const due = await findDueVendors(
      database,
      rows.map(({ id }) => id),
      clock.now(),
    );
    return due.sort((a, b) => a.nextFetchAt.getTime() - b.nextFetchAt.getTime() || (a.id < b.id ? -1 : 1));
  };
  return {
    clock,
    pass,
    waits,
    contextOf,
    /** Fetches the vendors that are due, or those with the given slugs. */
    run: async (
      { slugs, concurrency = 8 }: { slugs?: string[]; concurrency?: number } = {},
      changes: Partial<TrackVendorsContext> = {},
    ) => {
      const vendors = slugs ? await findVendorsToFetch(database, slugs) : await dueVendors();
      return trackVendors(contextOf(changes), sourceOf(vendors), concurrency);
    },
    vendor: (slug: string) =>
      database.vendor.findUniqueOrThrow({
        where: { slug },
        include: {
          snapshots: { orderBy: { id: "asc" } },
          diffs: { orderBy: { id: "asc" } },
          fetches: { orderBy: { id: "asc" } },
          statusChanges: { orderBy: { id: "asc" } },
        },
      }),
  };
}
