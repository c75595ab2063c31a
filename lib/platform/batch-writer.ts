type Waiting<T, R> = { item: T; resolve: (result: R) => void; reject: (error: unknown) => void };

/** Writes items in batches: those that arrive while a batch is written are the next one. */
export class BatchWriter<T, R> {
  readonly #writeBatch: (items: readonly T[]) => Promise<readonly R[]>;
  readonly #maxBatchSize: number;
  #waiting: Waiting<T, R>[] = [];
  #isWriting = false;

  /** `writeBatch` returns a result for each item, in their order; if it throws, all of its items fail. */
  constructor(writeBatch: (items: readonly T[]) => Promise<readonly R[]>, maxBatchSize: number) {
    this.#writeBatch = writeBatch;
    this.#maxBatchSize = maxBatchSize;
  }

  /** Returns the item's result once it is written. Throws what writing its batch throws. */
  write(item: T): Promise<R> {
    const written = new Promise<R>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
    });
    void this.#writeAll();
    return written;
  }

  async #writeAll(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#maxBatchSize);
      try {
        const results = await this.#writeBatch(batch.map(({ item }) => item));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isWriting = false;
  }
}
