import path from "node:path";
import { sites } from "#lib/contract/sites";
import { systemClock } from "#lib/platform/clock";
import { config } from "#lib/platform/config";
import { createJobDatabase, type Database } from "#lib/platform/database/index";
import { packageRoot } from "#lib/platform/database/paths";
import { systemIds } from "#lib/platform/ids";
import { log } from "#lib/platform/log";
import { insertFleetMembers } from "#lib/replay/sites/store";
import { announceChanges } from "#lib/server/notifications/index";
import { readSamples, seedSamples } from "#lib/tracking/samples/seed-samples";
import { seedCatalogue } from "#lib/tracking/vendors/manage/change-vendors";

type SeededRows = {
  /** Vendors of the catalogue; null with VENDOR_CATALOGUE=off. */
  catalogue: { added: number; updated: number; unchanged: number } | null;
  /** Sample fetches added; 0 if the samples were already there. */
  sampleFetches: number;
};

/** Adds the rows that the app expects. Can be repeated at any time. */
export async function seedRows(database: Database, { samples }: { samples: boolean }): Promise<SeededRows> {
  await insertFleetMembers(
    database,
    sites.map(({ slug }) => slug),
  );
  const isWanted = config().VENDOR_CATALOGUE === "on";
  const written = isWanted ? await seedCatalogue({ database, clock: systemClock, ids: systemIds }) : null;
  const now = systemClock.now();
  const context = { database, log: log(), now, announceChanges, writesReports: true };
  const folder = path.join(packageRoot, "content/vendors/samples");
  return {
    catalogue: written && {
      added: written.added.length,
      updated: written.updated.length,
      unchanged: written.unchanged.length,
    },
    sampleFetches: samples ? await seedSamples(context, readSamples(folder)) : 0,
  };
}

/** Adds the rows that the app expects; to the embedded database also the samples, unless the catalogue is off. */
export async function seedDatabase(url: string): Promise<void> {
  const client = createJobDatabase(url);
  try {
    const { DATABASE_URL, VENDOR_CATALOGUE } = config();
    await seedRows(client, { samples: DATABASE_URL === undefined && VENDOR_CATALOGUE === "on" });
  } finally {
    await client.$disconnect();
  }
}
