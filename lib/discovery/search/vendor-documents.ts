import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import type { Log } from "#lib/platform/log";
import { perObject } from "#lib/platform/per-object";
import { processSingleton } from "#lib/platform/process-singleton";
import { databaseOf, type OptionalDatabase, Refreshed } from "#lib/platform/refreshed";
import type { StartTimer } from "#lib/platform/timer";
import catalogue from "../../../content/vendors/catalogue.json" with { type: "json" };
import { isSameDocument, type SearchDocument } from "./document";
import { findVendorTexts, type VendorText } from "./store";

/** Without a database, no vendors are found. */
export type VendorsContext = OptionalDatabase<Database> & { clock: Clock; startTimer?: StartTimer; log: Log };

/** Most vendors in the index, the most recently changed ones. */
const maxVendorCount = 5_000;
/** Longest indexed summary, in characters. */
const maxSummaryLength = 1_000;
/** Vendors are read again, by the next search, after this time in milliseconds; after a failure too. */
const refreshAfterMs = 30_000;
/** How long a search waits for them, in milliseconds. Afterwards it uses those that were read before. */
const maxWaitMs = 500;

/** What the vendors of the bundled catalogue are, in a sentence. */
const known = new Map(catalogue.vendors.map(({ slug, domain, description }) => [slug, { domain, description }]));

/** Returns the sentence on a vendor, after a space; empty for one that only has its slug in common with the catalogue. */
function sentenceOn({ slug, domain }: VendorText): string {
  const vendor = known.get(slug);
  return vendor?.domain === domain ? ` ${vendor.description}` : "";
}

function documentOfVendor(vendor: VendorText): SearchDocument {
  const { slug, name, domain, category, summary } = vendor;
  const lead = `${domain}, ${category}.${sentenceOn(vendor)}`;
  return {
    id: `vendors/${slug}`,
    kind: "vendor",
    surface: "page",
    slug,
    title: name,
    lead,
    body: summary === null ? [] : [summary.slice(0, maxSummaryLength)],
  };
}

/** Returns the known documents where they are unchanged, and the same array if all are. */
function mergeDocuments(known: readonly SearchDocument[], read: readonly SearchDocument[]): readonly SearchDocument[] {
  const byId = new Map(known.map((document) => [document.id, document]));
  const merged = read.map((document) => {
    const before = byId.get(document.id);
    return before && isSameDocument(before, document) ? before : document;
  });
  const isUnchanged = merged.length === known.length && merged.every((document, at) => document === known[at]);
  return isUnchanged ? known : merged;
}

function refreshedOf(database: Database): Refreshed<readonly SearchDocument[]> {
  const create = () => new Refreshed<readonly SearchDocument[]>([], { refreshAfterMs, maxWaitMs });
  return processSingleton("search-vendors", () => perObject<Database, ReturnType<typeof create>>(create))(database);
}

/**
 * Returns the vendors that everyone sees, with their latest reports, at most `maxVendorCount`. They are read at most every 30
 * seconds. None without a database; those read last if it does not respond in time. Unchanged vendors are the same objects,
 * and the array is the same if none has changed.
 */
export async function vendorDocuments(context: VendorsContext): Promise<readonly SearchDocument[]> {
  const database = databaseOf(context);
  if (!database) return [];
  return refreshedOf(database).get(context, {
    read: async (last) => mergeDocuments(last, (await findVendorTexts(database, maxVendorCount)).map(documentOfVendor)),
    onFailure: (error) =>
      context.log.warn({ reason: (error as Error).message }, "could not read the vendors for the search"),
  });
}

/** Whether the vendors that were read last are current: false without a database, and after a failure. */
export function areVendorsKnown(context: VendorsContext): boolean {
  const database = databaseOf(context);
  return database !== undefined && !refreshedOf(database).isFailing;
}
