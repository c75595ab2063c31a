import type { Clock } from "#lib/platform/clock";
import { AppError } from "#lib/platform/errors";
import type { Log } from "#lib/platform/log";
import { processSingleton } from "#lib/platform/process-singleton";
import type { Catalogue } from "#lib/replay/cassettes/index";
import { documentOfCassette, pageDocuments } from "../corpus";
import { type Passage, passagesOf } from "./passages";
import { type HostedEntry, type HostedIndex, hostedIndex } from "./store";

/** What a sync did, in passages: long documents are several. */
export type HostedSync = { passageCount: number; upsertedCount: number; deletedCount: number; unchangedCount: number };

type SyncContext = {
  catalogue: Catalogue;
  log: Log;
  /** In place of the one that the configuration names. */
  hosted?: HostedIndex;
};

/** Most passages that are kept in the hosted index; what is over is named in the log. */
const maxPassageCount = 50_000;
/** Most parts of the listing that are read. */
const maxListCallCount = 1_000;
/** Passages of one call: well under what the service takes at once, also in bytes. */
const upsertCount = 50;
const deleteCount = 200;

async function wantedPassages({ catalogue, log }: SyncContext): Promise<Map<string, Passage>> {
  const cassettes = (await catalogue.list()).map(documentOfCassette);
  const wanted = new Map<string, Passage>();
  for (const document of [...(await pageDocuments()), ...cassettes]) {
    for (const passage of passagesOf(document)) {
      if (wanted.size < maxPassageCount) wanted.set(passage.id, passage);
    }
  }
  if (wanted.size === maxPassageCount) log.warn(`only ${maxPassageCount} passages are kept in the hosted index`);
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
  throw new Error(`the hosted index has more than ${maxListCallCount} parts`);
}

async function inBatches<Item>(items: readonly Item[], count: number, run: (batch: Item[]) => Promise<void>) {
  for (let at = 0; at < items.length; at += count) await run(items.slice(at, at + count));
}

/**
 * Brings the hosted index to the corpus of all sites: what changed is sent, then what is gone is deleted; what others
 * keep in the same index is left alone. It can be run at any time, by several at once, and again after it was stopped.
 * Throws AppError service_unavailable where no hosted index is configured, and where it does not answer.
 */
export async function syncHostedIndex(context: SyncContext): Promise<HostedSync> {
  const { hosted = hostedIndex() } = context;
  if (!hosted) {
    throw new AppError(
      "service_unavailable",
      "No hosted search is configured. Set UPSTASH_SEARCH_REST_URL and UPSTASH_SEARCH_REST_TOKEN.",
    );
  }
  const wanted = await wantedPassages(context);
  try {
    const held = new Map((await listAll(hosted)).map(({ id, hash }) => [id, hash]));
    const changed = [...wanted.values()].filter(({ id, metadata }) => held.get(id) !== metadata.hash);
    const gone = [...held.keys()].filter((id) => !wanted.has(id));
    await inBatches(changed, upsertCount, (batch) => hosted.upsert(batch));
    await inBatches(gone, deleteCount, (batch) => hosted.delete(batch));
    return {
      passageCount: wanted.size,
      upsertedCount: changed.length,
      deletedCount: gone.length,
      unchangedCount: wanted.size - changed.length,
    };
  } catch (cause) {
    throw new AppError("service_unavailable", `The hosted search could not be synced: ${(cause as Error).message}`, {
      cause,
    });
  }
}

type SyncState = {
  /** For each index in memory the version of it that was synced. */
  versions: WeakMap<object, number>;
  running: Promise<void> | undefined;
  nextAtMs: number;
  isFailing: boolean;
};

/** An instance that was replaced may have synced last, with an older corpus: so it is done again after an hour. */
const repeatAfterMs = 60 * 60 * 1_000;
/** How long a sync that failed is left alone. */
const retryAfterMs = 60_000;

function stateOf(hosted: HostedIndex): SyncState {
  const states = processSingleton<WeakMap<HostedIndex, SyncState>>("hosted-search-syncs", () => new WeakMap());
  const known = states.get(hosted);
  if (known) return known;
  const state: SyncState = { versions: new WeakMap(), running: undefined, nextAtMs: 0, isFailing: false };
  states.set(hosted, state);
  return state;
}

/**
 * Starts a sync in the background where the index in memory has changed since the last one, or that was long ago. One
 * runs at a time; a failure is told once, until one succeeds. Gives the sync that runs, which never rejects.
 */
export function keepHostedIndexInSync(
  context: { catalogue: Catalogue; clock: Clock; log: Log; hosted: HostedIndex },
  index: { version: number },
): Promise<void> | undefined {
  const { clock, log, hosted } = context;
  const state = stateOf(hosted);
  if (state.running) return state.running;
  const isDue = clock.monotonicMs() >= state.nextAtMs;
  const hasChanged = state.versions.get(index) !== index.version;
  if (!isDue && (state.isFailing || !hasChanged)) return undefined;
  const { version } = index;
  const sync = async () => {
    try {
      const { upsertedCount, deletedCount } = await syncHostedIndex(context);
      state.versions.set(index, version);
      state.nextAtMs = clock.monotonicMs() + repeatAfterMs;
      state.isFailing = false;
      if (upsertedCount + deletedCount > 0) log.info({ upsertedCount, deletedCount }, "the hosted search is in sync");
    } catch (error) {
      if (!state.isFailing) log.warn({ reason: (error as Error).message }, "the hosted search is not in sync");
      state.nextAtMs = clock.monotonicMs() + retryAfterMs;
      state.isFailing = true;
    } finally {
      state.running = undefined;
    }
  };
  state.running = sync();
  return state.running;
}
