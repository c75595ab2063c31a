import type { Clock } from "#lib/platform/clock";
import type { Log } from "#lib/platform/log";
import { processSingleton } from "#lib/platform/process-singleton";
import type { Catalogue } from "#lib/replay/cassettes/index";
import type { HostedIndex } from "./store";
import { syncHostedIndex } from "./sync-hosted-index";

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
