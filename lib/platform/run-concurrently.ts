/** Items that are worked on as they are taken from a source. */
type ConcurrentWork<T> = {
  /** Returns up to `limit` items, none if there are no more. Never called while an earlier call is pending. */
  take: (limit: number) => Promise<readonly T[]>;
  work: (item: T) => Promise<void>;
  concurrency: number;
  /** Whether more items may be taken now. */
  mayTake: () => boolean;
};

/**
 * Works on the items of a source, several at a time, until it has none left or no more may be taken. Waits for all work
 * that was started. Throws the first error of `work` or `take`, after which nothing more is taken.
 */
export async function runConcurrently<T>({ take, work, concurrency, mayTake }: ConcurrentWork<T>): Promise<void> {
  const active = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const start = (item: T) => {
    const ended = work(item)
      .catch((error: unknown) => {
        failures.push(error);
      })
      .finally(() => active.delete(ended));
    active.add(ended);
  };
  const mayContinue = () => failures.length === 0 && mayTake();
  while (mayContinue()) {
    const items = await take(concurrency - active.size).catch((error: unknown) => {
      failures.push(error);
      return [];
    });
    for (const item of items) start(item);
    if (active.size === 0) break;
    // Items are taken several at a time, once a quarter of the places are free.
    const enough = items.length === 0 ? concurrency : Math.floor((concurrency * 3) / 4);
    do await Promise.race(active);
    while (active.size > enough && mayContinue());
  }
  await Promise.all(active);
  if (failures.length > 0) throw failures[0];
}
