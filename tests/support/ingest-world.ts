import { pino } from "pino";
import type { Database } from "#lib/platform/database/index";
import { systemIds } from "#lib/platform/ids";
import { guardedFetch } from "#lib/platform/outbound/index";
import { announceVendorChange } from "#lib/server/notifications/index";
import { type TrackVendorsContext, type TrackVendorsOptions, trackVendors } from "#lib/tracking/index";
import { createManualClock, userAgent } from "./fetch-world";
import { addVendor } from "./vendor-rows";
import type { VendorWorld } from "./vendor-world";

export const hourMs = 60 * 60 * 1_000;
export const dayMs = 24 * hourMs;

/** Adds simulated vendors to a database and returns functions that fetch them on a manual clock. */
export async function createIngest(database: Database, world: VendorWorld, startAt = new Date("2026-03-01T00:00:00Z")) {
  const { clock, pass, sleep, waits } = createManualClock(startAt);
  for (const { slug, name, url, host } of world.vendors) {
    await addVendor(database, { slug, name, llmsTxtUrl: url, domain: host, at: clock.now() });
  }
  const contextOf = (changes: Partial<TrackVendorsContext> = {}): TrackVendorsContext => ({
    ...{ database, clock, ids: systemIds, log: pino({ level: "silent" }), runId: systemIds.next() },
    fetch: (url, options) =>
      guardedFetch(url, {
        ...{ headersTimeoutMs: 4_000, totalTimeoutMs: 6_000, ...options },
        allowedHosts: world.allowedHosts,
      }),
    ...{ userAgent, sleep, random: () => 0.5, intervalMs: 6 * hourMs, announceChange: announceVendorChange },
    deadlineMs: clock.monotonicMs() + dayMs,
    ...changes,
  });
  return {
    clock,
    pass,
    waits,
    contextOf,
    run: (options: TrackVendorsOptions = {}, changes: Partial<TrackVendorsContext> = {}) =>
      trackVendors(contextOf(changes), options),
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
