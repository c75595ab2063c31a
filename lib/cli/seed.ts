import path from "node:path";
import { v7 } from "uuid";
import { systemClock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { packageRoot } from "#lib/platform/database/paths";
import { systemIds } from "#lib/platform/ids";
import { log } from "#lib/platform/log";
import { sites } from "#lib/replay/sites/sites";
import { insertFleetMembers } from "#lib/replay/sites/store";
import { analyseSubject } from "#lib/tracking/intelligence/analyse-subject";
import { seedCatalogue } from "#lib/tracking/vendors/catalogue/seed-catalogue";
import type { StoredVersion } from "#lib/tracking/vendors/index";
import { readSamples } from "#lib/tracking/vendors/samples/read-samples";
import { seedSamples } from "#lib/tracking/vendors/samples/seed-samples";

/** Returns a function that writes the report of a sample's change, dated at the change, by the rules. */
function sampleReporter(database: Database) {
  const { signal } = new AbortController();
  return async (version: StoredVersion, at: Date): Promise<void> => {
    const clock = { now: () => at, monotonicMs: () => 0 };
    const ids = { next: () => v7({ msecs: at.getTime() }) };
    await analyseSubject({ database, clock, ids, log: log(), signal }, version, { mode: "realtime" });
  };
}

export type SeededRows = {
  /** Vendors of the catalogue. */
  catalogue: { added: number; updated: number; unchanged: number };
  /** Sample fetches added; 0 if the samples were already there. */
  sampleFetches: number;
};

/** Adds the rows that the app expects. Can be repeated at any time. */
export async function seedRows(database: Database, { samples }: { samples: boolean }): Promise<SeededRows> {
  await insertFleetMembers(
    database,
    sites.map(({ slug }) => slug),
  );
  const { added, updated, unchanged } = await seedCatalogue({ database, clock: systemClock, ids: systemIds });
  const context = { database, log: log(), now: systemClock.now(), afterChange: sampleReporter(database) };
  const folder = path.join(packageRoot, "content/vendors/samples");
  return {
    catalogue: { added: added.length, updated: updated.length, unchanged: unchanged.length },
    sampleFetches: samples ? await seedSamples(context, readSamples(folder)) : 0,
  };
}
