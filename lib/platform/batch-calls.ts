import { setImmediate as nextTurn } from "node:timers/promises";
import { AppError } from "#lib/platform/errors";

type Waiting<T, R> = { item: T; resolve: (result: R) => void; reject: (error: unknown) => void };

type BatchLimits<T> = {
  /** Most items of a batch. */
  maxCount: number;
  /** Most of what `sizeOf` returns for the items of a batch together; a larger item is a batch of its own. */
  maxSize?: number;
  sizeOf?: (item: T) => number;
  /**
   * Longest time in which a batch is gathered, until it has as many items. What an earlier batch left over does not wait
   * again. Default: what arrives in the same turn.
   */
  gather?: { waitMs: number; enoughCount: number };
};

/** The items that wait for one owner. */
type Queue<T, R> = { waiting: Waiting<T, R>[]; onEnough?: () => void };

/**
 * Returns a function that handles the items of concurrent calls together, separately for each owner, such as a database.
 * Items that arrive while a batch is handled are the next batch. `handle` returns a result for each item, in their order.
 * If it throws, each item is handled alone, so that only the one at fault fails; an AppError fails all of them.
 */
export function batchCalls<Owner extends object, T, R>(
  handle: (owner: Owner, items: readonly T[]) => Promise<readonly R[]>,
  { maxCount, maxSize = Number.POSITIVE_INFINITY, sizeOf = () => 0, gather }: BatchLimits<T>,
): (owner: Owner, item: T) => Promise<R> {
  /** The items that wait, of owners with a batch in progress. */
  const queues = new WeakMap<Owner, Queue<T, R>>();

  function takeBatch(waiting: Waiting<T, R>[]): Waiting<T, R>[] {
    let [count, size] = [0, 0];
    for (const { item } of waiting) {
      size += sizeOf(item);
      if (count === maxCount || (count > 0 && size > maxSize)) break;
      count += 1;
    }
    return waiting.splice(0, count);
  }

  async function handleBatch(owner: Owner, batch: readonly Waiting<T, R>[]): Promise<void> {
    try {
      const items = batch.map(({ item }) => item);
      const results = await handle(owner, items);
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R);
    } catch (error) {
      if (batch.length === 1 || error instanceof AppError) for (const { reject } of batch) reject(error);
      else for (const each of batch) await handleBatch(owner, [each]);
    }
  }

  function gathered(queue: Queue<T, R>, isLeftOver: boolean): Promise<unknown> {
    // What arrives in the same turn of the event loop is in the same batch.
    if (!gather || isLeftOver || queue.waiting.length >= gather.enoughCount) return nextTurn();
    return new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, gather.waitMs);
      queue.onEnough = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function handleAll(owner: Owner, queue: Queue<T, R>): Promise<void> {
    let leftOver: Waiting<T, R> | undefined;
    while (queue.waiting.length > 0) {
      await gathered(queue, queue.waiting[0] === leftOver);
      const batch = takeBatch(queue.waiting);
      leftOver = queue.waiting[0];
      await handleBatch(owner, batch);
    }
    queues.delete(owner);
  }

  return (owner, item) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(owner) ?? { waiting: [] };
      queue.waiting.push({ item, resolve, reject });
      if (gather && queue.waiting.length >= gather.enoughCount) queue.onEnough?.();
      if (queues.has(owner)) return;
      queues.set(owner, queue);
      void handleAll(owner, queue);
    });
}
