import { v7 } from "uuid";
import type { Database } from "#lib/platform/database/index";
import type { Log } from "#lib/platform/log";
import type { OutboundAnswer } from "#lib/platform/outbound/index";
import { dayMs } from "#lib/platform/time";
import { HostGate, RobotsCache } from "#lib/tracking/fetching/index";
import { type AnnounceChange, findVendorsToFetch, sourceOf, trackVendors } from "#lib/tracking/index";
import { importVendors } from "#lib/tracking/vendors/index";
import type { Sample, SampleEvent } from "./read-samples";
import { findSeededSamples } from "./store";

/** Days of history that the samples have. */
const historyDays = 60;
/** Response time of a sample's site, in milliseconds. */
const responseTimeMs = 120;

type SeedContext = {
  database: Database;
  log: Log;
  now: Date;
  announceChange: AnnounceChange;
  /** Whether each change gets its report, written by the rules with the time of the change. Default: false. */
  writesReports?: boolean;
};

function createResponse(url: string, status: number, text: string): OutboundAnswer {
  const headers = { "content-type": "text/markdown; charset=utf-8" };
  return { status, headers, url, body: Buffer.from(text, "utf8"), requestCount: 1, responseTimeMs };
}

/** Returns a replacement for the guarded fetch that responds like a sample's site at an event. It has no robots.txt. */
function createSampleFetch(event: SampleEvent): (url: string | URL) => Promise<OutboundAnswer> {
  return async (url) => {
    const address = String(url);
    if (new URL(address).pathname === "/robots.txt") return createResponse(address, 404, "");
    return "text" in event ? createResponse(address, 200, event.text) : createResponse(address, event.status, "");
  };
}

type DatedEvent = { at: Date; slug: string; event: SampleEvent };

/** Returns the events of all samples, the earliest first. */
function listEvents(samples: readonly Sample[], presentMs: number): DatedEvent[] {
  const dated = samples.flatMap(({ vendor: { slug }, events }) =>
    events.map((event) => ({ slug, event, at: new Date(presentMs - event.daysAgo * dayMs) })),
  );
  return dated.sort((a, b) => a.at.getTime() - b.at.getTime() || a.slug.localeCompare(b.slug));
}

/** Tracks a sample once through the real pipeline, with a clock that is stopped at the event. */
async function playEvent(context: SeedContext, { at, slug, event }: DatedEvent): Promise<void> {
  const { database, log, announceChange, writesReports = false } = context;
  const clock = { now: () => at, monotonicMs: () => 0 };
  const ids = { next: () => v7({ msecs: at.getTime() }) };
  const { signal } = new AbortController();
  await trackVendors(
    {
      database,
      log,
      clock,
      ids,
      announceChange,
      runId: ids.next(),
      fetch: createSampleFetch(event),
      userAgent: "samples",
      robots: new RobotsCache(),
      hosts: new HostGate(),
      sleep: async () => {},
      random: () => 0.5,
      intervalMs: dayMs,
      deadlineMs: dayMs,
      ...(writesReports && { analysis: { database, clock, ids, log, signal } }),
    },
    sourceOf(await findVendorsToFetch(database, [slug])),
    1,
  );
}

/**
 * Inserts the sample vendors and replays the past fetches of their files. Returns the number of fetches. Each fetch is a
 * transaction, so an interrupted seeding continues where it stopped.
 */
export async function seedSamples(context: SeedContext, samples: readonly Sample[]): Promise<number> {
  const { database, now } = context;
  const clock = { now: () => new Date(now.getTime() - historyDays * dayMs), monotonicMs: () => 0 };
  const ids = { next: () => v7({ msecs: clock.now().getTime() }) };
  const vendors = samples.map(({ vendor }) => vendor);
  await importVendors({ database, clock, ids }, { vendors, origin: "sample", keepsOthers: true });
  const slugs = vendors.map(({ slug }) => slug);
  const seeded = await findSeededSamples(database, slugs);
  let count = 0;
  for (const event of listEvents(samples, seeded.createdAtMs + historyDays * dayMs)) {
    const lastFetchMs = seeded.lastFetchMs.get(event.slug);
    if (lastFetchMs === undefined || event.at.getTime() <= lastFetchMs) continue;
    await playEvent(context, event);
    count += 1;
  }
  return count;
}
