/** Waits until a promise is settled, in whatever way, at most `waitMs`; then calls `onTimeout`. */
export async function waitFor(promise: Promise<unknown>, waitMs: number, onTimeout = () => {}): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      onTimeout();
      resolve();
    }, waitMs);
  });
  await Promise.race([promise.catch(() => undefined), timeout]);
  clearTimeout(timer);
}

/** Attempts in progress, all or with a slot. Those at failing receivers are also counted apart. */
export class Attempts {
  readonly all = new Set<Promise<void>>();
  #failingCount = 0;
  #waiting: (() => void)[] = [];

  constructor(readonly limit: number) {}

  add(attempt: Promise<void>, isFailing: boolean): void {
    if (isFailing) this.#failingCount += 1;
    const ended = attempt.finally(() => {
      if (isFailing) this.#failingCount -= 1;
      this.all.delete(ended);
      for (const resolve of this.#waiting.splice(0)) resolve();
    });
    this.all.add(ended);
  }

  /** Settles when the next one ends. */
  nextEnd(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  get free(): number {
    return this.limit - this.all.size;
  }

  /** Failing receivers get at most half, because each may take the full timeout. */
  get freeForFailing(): number {
    return Math.ceil(this.limit / 2) - this.#failingCount;
  }
}
