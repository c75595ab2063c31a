import { AppError } from "#lib/platform/errors";
import { perObject } from "#lib/platform/per-object";
import { processSingleton } from "#lib/platform/process-singleton";
import { hourMs, minuteMs } from "#lib/platform/time";
import type { Catalogue } from "#lib/replay/cassettes/index";
import { documentOfCassette, pageDocuments } from "../corpus";
import { modelDocuments } from "../model-documents";
import { areVendorsKnown, type VendorsContext, vendorDocuments } from "../vendor-documents";
import { type Passage, passagesOf } from "./passages";
import { type HostedEntry, type HostedIndex, hostedIndex } from "./store";

/** Result of a sync, in passages; a long document has several. */
type HostedSync = { passageCount: number; upsertedCount: number; deletedCount: number; unchangedCount: number };

type SyncContext = VendorsContext & {
  catalogue: Catalogue;
  /** Default: the configured index. */
  hosted?: HostedIndex | undefined;
};

/** Most passages in the hosted index; more are ignored with a warning in the log. */
const maxPassageCount = 50_000;
/** Most pages of the listing. */
const maxListCallCount = 1_000;
/** Passages per call, well below the limits of the service. */
const upsertCount = 50;
const deleteCount = 200;

async function wantedPassages(context: SyncContext): Promise<Map<string, Passage>> {
  const { catalogue, log } = context;
  const cassettes = (await catalogue.list()).map(documentOfCassette);
  const vendors = await vendorDocuments(context);
  const wanted = new Map<string, Passage>();
  for (const document of [...(await pageDocuments()), ...cassettes, ...vendors, ...(await modelDocuments(context))]) {
    for (const passage of passagesOf(document)) {
      if (wanted.size < maxPassageCount) wanted.set(passage.id, passage);
    }
  }
  if (wanted.size === maxPassageCount)
    log.warn(`too many passages: only ${maxPassageCount} are kept in the hosted index`);
  return wanted;
}

async function listAll(hosted: HostedIndex): Promise<HostedEntry[]> {
  const all: HostedEntry[] = [];
  let cursor = "0";
  for (let call = 0; call < maxListCallCount; call++) {
    const { entries, nextCursor } = await hosted.list(cursor);
    all.push(...entries);
    if (nextCursor === "" || nextCursor === "0") return all;
    cursor = nextCursor;
  }
  throw new Error(`the listing of the hosted index has more than ${maxListCallCount} pages`);
}

async function inBatches<Item>(items: readonly Item[], count: number, run: (batch: Item[]) => Promise<void>) {
  for (let at = 0; at < items.length; at += count) await run(items.slice(at, at + count));
}

/**
 * Updates the hosted index to the corpus of all sites: uploads changed passages, then deletes removed ones. Entries of
 * other applications are not touched, nor are vendors without a database that responds. It can run at any time,
 * concurrently, and again after an interruption. Throws AppError service_unavailable if no hosted index is configured
 * or it does not respond.
 */
export async function syncHostedIndex(
  context: SyncContext,
  hosted = context.hosted ?? hostedIndex(),
): Promise<HostedSync> {
  if (!hosted) {
    throw new AppError(
      "service_unavailable",
      "No hosted search is configured. Set UPSTASH_SEARCH_REST_URL and UPSTASH_SEARCH_REST_TOKEN.",
    );
  }
  const wanted = await wantedPassages(context);
  try {
    const existing = new Map((await listAll(hosted)).map(({ id, hash }) => [id, hash]));
    const changed = [...wanted.values()].filter(({ id, metadata }) => existing.get(id) !== metadata.hash);
    const isKept = (id: string) => id.startsWith("vendors/") && !areVendorsKnown(context);
    const removed = [...existing.keys()].filter((id) => !wanted.has(id) && !isKept(id));
    await inBatches(changed, upsertCount, (batch) => hosted.upsert(batch));
    await inBatches(removed, deleteCount, (batch) => hosted.delete(batch));
    return {
      passageCount: wanted.size,
      upsertedCount: changed.length,
      deletedCount: removed.length,
      unchangedCount: wanted.size - changed.length,
    };
  } catch (cause) {
    throw new AppError("service_unavailable", `The hosted search could not be synced: ${(cause as Error).message}`, {
      cause,
    });
  }
}

type SyncState = {
  /** The last synced version of each index in memory. */
  versions: WeakMap<object, number>;
  running: Promise<void> | undefined;
  nextAtMs: number;
  isFailing: boolean;
};

/** A sync is repeated after an hour, because vendors change, and a replaced instance may have synced an older corpus last. */
const repeatAfterMs = hourMs;
/** Wait after a failed sync. */
const retryAfterMs = minuteMs;

function stateOf(hosted: HostedIndex): SyncState {
  const create = (): SyncState => ({ versions: new WeakMap(), running: undefined, nextAtMs: 0, isFailing: false });
  return processSingleton("hosted-search-syncs", () => perObject<HostedIndex, SyncState>(create))(hosted);
}

/**
 * Starts a sync in the background if the index in memory has changed since the last one, or if that was long ago. Only one
 * runs at a time, and repeated failures are logged once. Returns the running sync, which never rejects.
 */
export function keepHostedIndexInSync(
  context: SyncContext,
  hosted: HostedIndex,
  index: { version: number },
): Promise<void> | undefined {
  const { clock, log } = context;
  const state = stateOf(hosted);
  if (state.running) return state.running;
  const isDue = clock.monotonicMs() >= state.nextAtMs;
  const hasChanged = state.versions.get(index) !== index.version;
  if (!isDue && (state.isFailing || !hasChanged)) return undefined;
  const { version } = index;
  const sync = async () => {
    try {
      const { upsertedCount, deletedCount } = await syncHostedIndex(context, hosted);
      state.versions.set(index, version);
      state.nextAtMs = clock.monotonicMs() + repeatAfterMs;
      state.isFailing = false;
      if (upsertedCount + deletedCount > 0) log.info({ upsertedCount, deletedCount }, "the hosted search was synced");
    } catch (error) {
      if (!state.isFailing) log.warn({ reason: (error as Error).message }, "could not sync the hosted search");
      state.nextAtMs = clock.monotonicMs() + retryAfterMs;
      state.isFailing = true;
    } finally {
      state.running = undefined;
    }
  };
  state.running = sync();
  return state.running;
}
