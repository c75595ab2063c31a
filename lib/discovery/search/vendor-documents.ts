import { setTimeout } from "node:timers/promises";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import type { Log } from "#lib/platform/log";
import { processSingleton } from "#lib/platform/process-singleton";
import catalogue from "../../../content/vendors/catalogue.json" with { type: "json" };
import { isSameDocument, type SearchDocument } from "./document";
import { findVendorTexts, type VendorText } from "./store";

/** A context in which the database may be missing: its getter may throw. Search works without one. */
type OptionalDatabase = { readonly database?: Database };

/** Returns the database; undefined if none is configured. */
function databaseOf(context: OptionalDatabase): Database | undefined {
  try {
    return context.database;
  } catch {
    return undefined;
  }
}

/** Without a database, no vendors are found. */
export type VendorsContext = OptionalDatabase & { clock: Clock; log: Log };

/** Most vendors in the index, the most recently changed ones. */
const maxVendorCount = 5_000;
/** Longest indexed summary, in characters. */
const maxSummaryLength = 1_000;
/** Vendors are read again, by the next search, after this time in milliseconds; after a failure too. */
const refreshAfterMs = 30_000;
/** How long a search waits for them, in milliseconds. Afterwards it uses those that were read before. */
const maxWaitMs = 500;

type State = {
  documents: readonly SearchDocument[];
  reading: Promise<void> | undefined;
  /** Whether searches wait for a read that another one started: until the first has ended or takes too long. */
  isFirst: boolean;
  nextAtMs: number;
  isFailing: boolean;
};

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

async function readVendors(database: Database, state: State, log: Log): Promise<void> {
  try {
    const texts = await findVendorTexts(database, maxVendorCount);
    state.documents = mergeDocuments(state.documents, texts.map(documentOfVendor));
    state.isFailing = false;
  } catch (error) {
    if (!state.isFailing) log.warn({ reason: (error as Error).message }, "could not read the vendors for the search");
    state.isFailing = true;
  }
}

function stateOf(database: Database): State {
  const states = processSingleton<WeakMap<Database, State>>("search-vendors", () => new WeakMap());
  const state = states.get(database) ?? {
    documents: [],
    reading: undefined,
    isFirst: true,
    nextAtMs: 0,
    isFailing: false,
  };
  states.set(database, state);
  return state;
}

/**
 * Returns the vendors that everyone sees, with their latest reports, at most `maxVendorCount`. They are read at most every 30
 * seconds. None without a database; those read last if it does not respond in time. Unchanged vendors are the same objects,
 * and the array is the same if none has changed.
 */
export async function vendorDocuments(context: VendorsContext): Promise<readonly SearchDocument[]> {
  const database = databaseOf(context);
  if (!database) return [];
  const { clock, log } = context;
  const state = stateOf(database);
  const isDue = clock.monotonicMs() >= state.nextAtMs && !state.reading;
  if (isDue) {
    state.nextAtMs = clock.monotonicMs() + refreshAfterMs;
    state.reading = readVendors(database, state, log).finally(() => {
      state.reading = undefined;
      state.isFirst = false;
    });
  }
  if (state.reading && (isDue || state.isFirst)) {
    const wait = new AbortController();
    await Promise.race([state.reading, setTimeout(maxWaitMs, undefined, { signal: wait.signal }).catch(() => {})]);
    wait.abort();
    state.isFirst = false;
  }
  return state.documents;
}

/** Whether the vendors that were read last are current: false without a database, and after a failure. */
export function areVendorsKnown(context: VendorsContext): boolean {
  const database = databaseOf(context);
  return database !== undefined && !stateOf(database).isFailing;
}
