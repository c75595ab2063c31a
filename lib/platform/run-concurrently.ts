/** Items that are worked on as they are taken from a source. */
type ConcurrentWork<T> = {
  /** Returns up to `limit` items, none if there are no more. Never called while an earlier call is pending. */
  take: (limit: number) => Promise<readonly T[]>;
  /** `freePlace` may be called before the end, when only what may wait is left: another item is then worked on meanwhile. */
  work: (item: T, freePlace: () => void) => Promise<void>;
  /** Most items with a place. */
  concurrency: number;
  /** Most items beyond these that are worked on after their places were freed. Default: 0. */
  extraCount?: number;
  /** Whether more items may be taken now. */
  mayTake: () => boolean;
};

/**
 * Works on the items of a source, several at a time, until it has none left or no more may be taken. Waits for all work
 * that was started. Throws the first error of `work` or `take`, after which nothing more is taken.
 */
export async function runConcurrently<T>({
  take,
  work,
  concurrency,
  extraCount = 0,
  mayTake,
}: ConcurrentWork<T>): Promise<void> {
  let [placedCount, activeCount] = [0, 0];
  let wake = () => {};
  const change = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  const failures: unknown[] = [];
  const start = (item: T) => {
    placedCount += 1;
    activeCount += 1;
    let hasPlace = true;
    const freePlace = () => {
      if (hasPlace) placedCount -= 1;
      hasPlace = false;
      wake();
    };
    void work(item, freePlace)
      .catch((error: unknown) => {
        failures.push(error);
      })
      .finally(() => {
        activeCount -= 1;
        freePlace();
      });
  };
  const mayContinue = () => failures.length === 0 && mayTake();
  const countFree = () => Math.min(concurrency - placedCount, concurrency + extraCount - activeCount);
  while (mayContinue()) {
    const items = await take(countFree()).catch((error: unknown) => {
      failures.push(error);
      return [];
    });
    for (const item of items) start(item);
    if (activeCount === 0) break;
    if (items.length === 0) await change();
    // Items are taken several at a time, once a quarter of the places are free.
    else while (countFree() < concurrency / 4 && mayContinue()) await change();
  }
  while (activeCount > 0) await change();
  if (failures.length > 0) throw failures[0];
}
