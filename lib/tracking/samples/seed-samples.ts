import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { v7 } from "uuid";
import { parse } from "yaml";
import * as z from "zod";
import type { Database } from "#lib/platform/database/index";
import type { Log } from "#lib/platform/log";
import type { OutboundAnswer } from "#lib/platform/outbound/index";
import { dayMs } from "#lib/platform/time";
import { HostGate, RobotsCache } from "#lib/tracking/fetching/index";
import { findVendorsToFetch, sourceOf, type TrackVendorsContext, trackVendors } from "#lib/tracking/index";
import { importVendors, type VendorInput, vendorInputSchema } from "#lib/tracking/vendors/index";
import { findSeededSamples } from "./store";

/** A change of a sample's site, in days before the time of the seeding. */
const eventSchema = z.union([
  z.strictObject({ days_ago: z.number().min(0), file: z.string() }),
  z.strictObject({ days_ago: z.number().min(0), status: z.int().min(400).max(599) }),
]);

const sampleSchema = z.strictObject({
  name: z.string(),
  category: vendorInputSchema.shape.category,
  events: z.array(eventSchema).min(2),
});

/** A sample site's response, from a point in time on. */
type SampleEvent = { daysAgo: number } & ({ text: string } | { status: number });

/** A fictional vendor with the events of its site, the oldest first. */
export type Sample = { vendor: VendorInput; events: SampleEvent[] };

/** Reserved for examples (RFC 2606). */
const topLevelDomain = ".example";

function readSample(folder: string, slug: string): Sample {
  const { name, category, events } = sampleSchema.parse(
    parse(readFileSync(path.join(folder, slug, "sample.yaml"), "utf8")),
  );
  const domain = `${slug}${topLevelDomain}`;
  const vendor = vendorInputSchema.parse({
    name: `${name} (sample)`,
    slug,
    domain,
    category,
    public: true,
    llms_txt_url: `https://${domain}/llms.txt`,
  });
  const read = (event: z.infer<typeof eventSchema>): SampleEvent =>
    "file" in event
      ? { daysAgo: event.days_ago, text: readFileSync(path.join(folder, slug, event.file), "utf8") }
      : { daysAgo: event.days_ago, status: event.status };
  return { vendor, events: events.map(read).sort((a, b) => b.daysAgo - a.daysAgo) };
}

/** Returns the samples of a folder, which has a subfolder for each, named by its slug. */
export function readSamples(folder: string): Sample[] {
  const slugs = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return slugs.map(({ name }) => readSample(folder, name)).sort((a, b) => a.vendor.slug.localeCompare(b.vendor.slug));
}

/** Days of history that the samples have. */
const historyDays = 60;
/** Response time of a sample's site, in milliseconds. */
const responseTimeMs = 120;

type SeedContext = {
  database: Database;
  log: Log;
  now: Date;
  announceChanges: TrackVendorsContext["announceChanges"];
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
  const { database, log, announceChanges, writesReports = false } = context;
  const clock = { now: () => at, monotonicMs: () => 0 };
  const ids = { next: () => v7({ msecs: at.getTime() }) };
  const { signal } = new AbortController();
  await trackVendors(
    {
      database,
      log,
      clock,
      ids,
      announceChanges,
      runId: ids.next(),
      fetch: createSampleFetch(event),
      userAgent: "samples",
      robots: new RobotsCache(),
      hosts: new HostGate(),
      sleep: async () => {},
      random: () => 0.5,
      intervalMs: dayMs,
      maxIntervalMs: 7 * dayMs,
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
