import type { Clock } from "#lib/platform/clock";
import { config } from "#lib/platform/config";
import type { Database } from "#lib/platform/database/index";
import type { Log } from "#lib/platform/log";
import { processSingleton } from "#lib/platform/process-singleton";
import { databaseOf, type OptionalDatabase } from "../optional-database";
import { missText } from "./miss-text";
import { addMisses } from "./store";

type MissContext = OptionalDatabase & { clock: Clock; log: Log };

/** How often an instance writes misses, in milliseconds, and how many different ones at most. */
const writeEveryMs = 10_000;
const maxWaitingCount = 100;

type Waiting = { counts: Map<string, number>; nextAtMs: number; isTimed: boolean };

function waitingFor(database: Database): Waiting {
  const all = processSingleton<WeakMap<Database, Waiting>>("search-misses", () => new WeakMap());
  const waiting = all.get(database) ?? { counts: new Map(), nextAtMs: 0, isTimed: false };
  all.set(database, waiting);
  return waiting;
}

async function write(database: Database, waiting: Waiting, { clock, log }: MissContext): Promise<void> {
  const counts = new Map(waiting.counts);
  waiting.counts.clear();
  waiting.nextAtMs = clock.monotonicMs() + writeEveryMs;
  try {
    await addMisses(database, { counts, day: clock.now() });
  } catch (error) {
    log.debug({ reason: (error as Error).message }, "could not store searches without results");
  }
}

/**
 * Counts a search without results, in the background: the first one at once, and those of the next ten seconds together. Only
 * its words are stored, and nothing if they look private, if `SEARCH_MISSES` is off, or without a database. Returns the write
 * that this started, which never rejects.
 */
export function countMiss(context: MissContext, q: string, { isOn = config().SEARCH_MISSES === "on" } = {}) {
  const text = isOn ? missText(q) : undefined;
  const database = text === undefined ? undefined : databaseOf(context);
  if (text === undefined || !database) return undefined;
  const waiting = waitingFor(database);
  if (!waiting.counts.has(text) && waiting.counts.size >= maxWaitingCount) return undefined;
  waiting.counts.set(text, (waiting.counts.get(text) ?? 0) + 1);
  const delayMs = waiting.nextAtMs - context.clock.monotonicMs();
  if (delayMs <= 0) return write(database, waiting, context);
  if (!waiting.isTimed) {
    waiting.isTimed = true;
    const writeAll = () => {
      waiting.isTimed = false;
      return write(database, waiting, context);
    };
    setTimeout(writeAll, delayMs).unref();
  }
  return undefined;
}
