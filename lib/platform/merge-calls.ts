/** The calls that share one run. */
type Batch<T> = { size: number; result: Promise<T> };

/** The result of a shared run, the place of this call in it, from 1, and how many calls share it. */
export type Merged<T> = { result: T; position: number; size: number };

/**
 * Returns a function that merges concurrent calls with the same id. While a run is in progress, further calls wait, and
 * then share one run that starts after them, so that no call gets a result from before it. `run` gets the number of calls.
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
