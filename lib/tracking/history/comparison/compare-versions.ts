import { LRUCache } from "lru-cache";
import pLimit from "p-limit";
import type { Database } from "#lib/platform/database/index";
import { retryAfter } from "#lib/platform/database/unavailable";
import { AppError } from "#lib/platform/errors";
import { defaultWorkerLimits, minWorkerLength, runInWorker, WorkerError } from "#lib/platform/run-worker";
import { TimeoutError, withTimeout } from "#lib/platform/with-timeout";
import { readSnapshotText } from "#lib/tracking/snapshots/index";
import { type Comparison, computeComparison } from "./compute-comparison";

/** Bounds of comparisons, for each process. */
export const comparisonBounds = {
  /** Comparisons that wait, beside the one that is computed. */
  maxWaiting: 16,
  /** Longest wait of a request, in milliseconds. The comparison goes on, so that a later request finds it. */
  maxWaitMs: 5_000,
  /** Longest computation in the worker thread, in milliseconds. */
  maxComputeMs: 20_000,
  /** Largest total size of the cached comparisons, in bytes. */
  maxCachedByteSize: 32 * 1024 * 1024,
};

const entry = { name: "comparison-worker", moduleUrl: import.meta.url };

/** One at a time, so that only the texts of one comparison are in memory. */
const queue = pLimit(1);

type Side = { id: string; contentHash: string };
type Pair = { database: Database; from: Side; to: Side };
type Bounds = typeof comparisonBounds;

/** Texts that are long enough to block the thread are compared in a worker thread, as new versions are. */
async function compute({ database, from, to }: Pair, maxComputeMs: number): Promise<Comparison> {
  const before = await readSnapshotText(database, from.id);
  const after = from.contentHash === to.contentHash ? before : await readSnapshotText(database, to.id);
  if (before === after || before.length + after.length < minWorkerLength) return computeComparison({ before, after });
  const limits = { ...defaultWorkerLimits, timeoutMs: maxComputeMs };
  return runInWorker<Comparison>(entry, { before, after }, limits);
}

function takeTurn(pair: Pair, { maxWaiting, maxComputeMs }: Bounds): Promise<Comparison> {
  if (queue.pendingCount >= maxWaiting) {
    const message = "Too many comparisons are waiting. Try again in a few seconds.";
    throw new AppError("service_unavailable", message, { headers: retryAfter });
  }
  return queue(() => compute(pair, maxComputeMs));
}

const lengthOf = (links: readonly string[]) => links.reduce((sum, { length }) => sum + length, 0);

/** Comparisons by the hashes of both contents; concurrent requests for a pair share one. */
const comparisons = new LRUCache<string, Comparison, { pair: Pair; bounds: Bounds }>({
  maxSize: comparisonBounds.maxCachedByteSize,
  sizeCalculation: ({ compressedText, linksAdded, linksRemoved }) =>
    compressedText.byteLength + 2 * (lengthOf(linksAdded) + lengthOf(linksRemoved)) + 1_000,
  fetchMethod: async (_key, _stale, { context }) => takeTurn(context.pair, context.bounds),
  // A comparison that is evicted while it is computed still returns to the pending requests.
  ignoreFetchAbort: true,
});

function toAppError(cause: unknown): unknown {
  if (cause instanceof TimeoutError) {
    const message = "The comparison is not finished yet. Try again in a few seconds.";
    return new AppError("service_unavailable", message, { cause, headers: retryAfter });
  }
  if (!(cause instanceof WorkerError)) return cause;
  const message = "Comparing these versions takes too much work. Compare versions that are closer together.";
  return new AppError("service_unavailable", message, { cause });
}

/**
 * Returns the difference between two stored versions, from the cache if it was computed before. Throws AppError
 * service_unavailable if too many comparisons wait, or this one takes too long.
 */
export async function compareVersions(pair: Pair, bounds: Bounds = comparisonBounds): Promise<Comparison> {
  const key = `${pair.from.contentHash} ${pair.to.contentHash}`;
  try {
    return await withTimeout(bounds.maxWaitMs, () => comparisons.forceFetch(key, { context: { pair, bounds } }));
  } catch (error) {
    throw toAppError(error);
  }
}
