import type { Clock } from "#lib/platform/clock";
import { decompressText } from "#lib/platform/compress-text";
import type { Database } from "#lib/platform/database/index";
import type { Log } from "#lib/platform/log";
import { perObject } from "#lib/platform/per-object";
import { processSingleton } from "#lib/platform/process-singleton";
import { databaseOf, type OptionalDatabase, Refreshed } from "#lib/platform/refreshed";
import type { StartTimer } from "#lib/platform/timer";
import { mergeSources } from "./build-catalogue";
import { bundledFile, type CatalogueFile, catalogueOn, dayOf, type ModelCatalogue } from "./catalogue";
import { modelReaders, parseRows } from "./read-source";
import { findSources, findTexts } from "./store";

/** Without a database the bundled catalogue is used. */
export type ModelsContext = OptionalDatabase<Database> & { clock: Clock; startTimer?: StartTimer; log?: Log };

/** `version` identifies what the file was made of. */
type Read = { version: string; file: CatalogueFile };

const refreshAfterMs = 5_000;
/** How long a use waits for the database. Afterwards it gets what was read before, or the bundled catalogue. */
const maxWaitMs = 500;

/** Returns the catalogue of the latest versions of all sources, or the bundled one while there is not one of each. */
async function readCatalogue(database: Database, last: Read): Promise<Read> {
  const sources = await findSources(database);
  const [dates, prices] = modelReaders.map((wanted) => sources.find(({ reader }) => reader === wanted));
  if (!dates || !prices) return { version: "", file: bundledFile };
  const given = [dates, prices].map(({ snapshotId, url, fetchedAt }) => ({ snapshotId, url, read: dayOf(fetchedAt) }));
  const version = JSON.stringify(given);
  if (version === last.version) return last;
  const ids = given.map(({ snapshotId }) => snapshotId);
  const texts = await findTexts(database, ids);
  const [datesSource, pricesSource] = await Promise.all(
    given.map(async ({ snapshotId, url, read }) => {
      const compressed = texts.get(snapshotId);
      const rows = compressed ? parseRows(await decompressText(compressed)) : [];
      return { rows, page: [new URL(url).origin, read] as [string, string] };
    }),
  );
  if (!datesSource || !pricesSource) return last;
  const read = [datesSource, pricesSource].map(({ page }) => page[1]).sort()[0] as string;
  return { version, file: mergeSources(datesSource, pricesSource, read) };
}

const refreshedOf = () =>
  processSingleton("models", () =>
    perObject((_: Database) => new Refreshed<Read>({ version: "", file: bundledFile }, { refreshAfterMs, maxWaitMs })),
  );

/** Returns the catalogue of the database once its sources have been fetched, else the bundled one. */
export async function currentModels(context: ModelsContext): Promise<ModelCatalogue> {
  const now = context.clock.now();
  const database = databaseOf(context);
  if (!database) return catalogueOn(bundledFile, now);
  const { file } = await refreshedOf()(database).get(context, {
    read: (last) => readCatalogue(database, last),
    onFailure: (error) => context.log?.warn({ err: error }, "could not read the catalogue of models from the database"),
  });
  return catalogueOn(file, now);
}
