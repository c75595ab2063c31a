import { v7 } from "uuid";
import type { Database } from "#lib/platform/database/index";
import type { Log } from "#lib/platform/log";
import { dayMs } from "#lib/platform/time";
import { fetchVendors } from "../ingestion/fetch-vendors";
import type { StoredVersion } from "../ingestion/store";
import { importVendors } from "../manage/import-vendors";
import { playSample } from "./play-sample";
import type { Sample, SampleEvent } from "./read-samples";
import { findLastFetches } from "./store";

/** How far the world's past reaches. */
const worldDays = 60;

export type SeedContext = {
  database: Database;
  log: Log;
  now: Date;
  /** What follows a change, told with the moment at which it was seen. */
  afterChange?: (version: StoredVersion, at: Date) => Promise<void>;
};

type Moment = { at: Date; slug: string; event: SampleEvent };

/** The moments of all samples, the earliest first. */
function momentsOf(samples: readonly Sample[], presentMs: number): Moment[] {
  const moments = samples.flatMap(({ vendor: { slug }, events }) =>
    events.map((event) => ({ slug, event, at: new Date(presentMs - event.daysAgo * dayMs) })),
  );
  return moments.sort((a, b) => a.at.getTime() - b.at.getTime() || a.slug.localeCompare(b.slug));
}

/** One fetch of a sample by the real ingestion, on a clock that stands at the moment. */
async function liveThrough({ database, log, afterChange }: SeedContext, { at, slug, event }: Moment): Promise<void> {
  const ids = { next: () => v7({ msecs: at.getTime() }) };
  await fetchVendors(
    {
      ...{ database, log, ids, runId: ids.next(), fetch: playSample(event), userAgent: "samples" },
      clock: { now: () => at, monotonicMs: () => 0 },
      afterChange: async (version) => afterChange?.(version, at),
      ...{ sleep: async () => {}, random: () => 0.5, intervalMs: dayMs, deadlineMs: dayMs },
    },
    { slugs: [slug], concurrency: 1 },
  );
}

/**
 * Brings the sample world into the database: invented vendors, whose files are fetched as at their times in the past.
 * Each fetch is a transaction; a seeding that was cut short goes on where it stopped. Gives the number of fetches.
 */
export async function seedSamples(context: SeedContext, samples: readonly Sample[]): Promise<number> {
  const { database, now } = context;
  const clock = { now: () => new Date(now.getTime() - worldDays * dayMs), monotonicMs: () => 0 };
  const ids = { next: () => v7({ msecs: clock.now().getTime() }) };
  const vendors = samples.map(({ vendor }) => vendor);
  await importVendors({ database, clock, ids }, { vendors, origin: "sample", keepsOthers: true });
  const slugs = vendors.map(({ slug }) => slug);
  const seeded = await findLastFetches(database, slugs);
  let count = 0;
  for (const moment of momentsOf(samples, seeded.createdAtMs + worldDays * dayMs)) {
    const last = seeded.lastFetchOf.get(moment.slug);
    if (last === undefined || moment.at.getTime() <= last) continue;
    await liveThrough(context, moment);
    count += 1;
  }
  return count;
}
