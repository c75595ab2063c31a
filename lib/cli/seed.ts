import path from "node:path";

import { systemClock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { packageRoot } from "#lib/platform/database/paths";
import { systemIds } from "#lib/platform/ids";
import { log } from "#lib/platform/log";
import { sites } from "#lib/replay/sites/sites";
import { announceVendorChange } from "#lib/server/notifications/index";
import { readSamples } from "#lib/tracking/samples/read-samples";
import { seedSamples } from "#lib/tracking/samples/seed-samples";
import { seedCatalogue } from "#lib/tracking/vendors/manage/seed-catalogue";

/** Makes sure that every site of the family has its row; rows that are there keep what the last check found. */
export async function seedFleetMembers(client: Database, slugs: readonly string[]): Promise<void> {
  // One statement, so one transaction; and of two starts at once neither fails.
  await client.fleetMember.createMany({ data: slugs.map((slug) => ({ slug })), skipDuplicates: true });
}

export type SeededRows = {
  /** Vendors of the catalogue. */
  catalogue: { added: number; updated: number; unchanged: number };
  /** Fetches of samples that were played; 0 where the sample world stood already. */
  sampleFetches: number;
};

/** Sees to the rows that the app expects; can be run again at any time. */
export async function seedRows(database: Database, { samples }: { samples: boolean }): Promise<SeededRows> {
  await seedFleetMembers(
    database,
    sites.map(({ slug }) => slug),
  );
  const { added, updated, unchanged } = await seedCatalogue({ database, clock: systemClock, ids: systemIds });
  const now = systemClock.now();
  const context = { database, log: log(), now, announceChange: announceVendorChange, writesReports: true };
  const folder = path.join(packageRoot, "content/vendors/samples");
  return {
    catalogue: { added: added.length, updated: updated.length, unchanged: unchanged.length },
    sampleFetches: samples ? await seedSamples(context, readSamples(folder)) : 0,
  };
}
