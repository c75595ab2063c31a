/** The calls that share one run. */
type Batch<T> = { size: number; result: Promise<T> };

export type Merged<T> = {
  /** Result of the shared run. */
  result: T;
  /** Place of this call among those that share the run, from 1. */
  position: number;
  /** How many calls share the run. */
  size: number;
};

/**
 * Returns a function that merges concurrent calls with the same id. While a run is in progress, further calls wait, and
 * then share one run that starts after them, so that no call gets a result from before it. Only the `run` of the first of
 * these calls is called, with the number of calls.
 */
export function mergeCalls<T>(): (id: string, run: (size: number) => Promise<T>) => Promise<Merged<T>> {
  const waiting = new Map<string, Batch<T>>();
  const running = new Map<string, Promise<T>>();

  async function start(id: string, batch: Batch<T>, run: (size: number) => Promise<T>): Promise<T> {
    await running.get(id)?.catch(() => undefined);
    waiting.delete(id);
    const current = run(batch.size);
    running.set(id, current);
    try {
      return await current;
    } finally {
      if (running.get(id) === current) running.delete(id);
    }
  }

  return async (id, run) => {
    let batch = waiting.get(id);
    if (!batch) {
      batch = { size: 0, result: Promise.resolve() as Promise<never> };
      waiting.set(id, batch);
      batch.result = start(id, batch, run);
    }
    batch.size += 1;
    const position = batch.size;
    return { result: await batch.result, position, size: batch.size };
  };
}
