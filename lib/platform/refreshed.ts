import type { Clock } from "./clock";
import { type StartTimer, startSystemTimer } from "./timer";

type Options<T> = {
  /** Reads the value, given the last one. */
  read: (last: T) => Promise<T>;
  /** Called for a failure after a success; the last value is kept. */
  onFailure: (error: unknown) => void;
};

/** A value that is read again by its next use after some time, such as rows of the database that every request needs. */
export class Refreshed<T> {
  #value: T;
  readonly #refreshAfterMs: number;
  readonly #maxWaitMs: number;
  #reading: Promise<void> | undefined;
  /** Whether uses wait for a read that another one started: until the first has ended or takes too long. */
  #isFirst = true;
  #nextAtMs = 0;
  #isFailing = false;

  /** `maxWaitMs`: how long a use waits for a read. Afterwards it gets what was read before. */
  constructor(initial: T, { refreshAfterMs, maxWaitMs }: { refreshAfterMs: number; maxWaitMs: number }) {
    this.#value = initial;
    this.#refreshAfterMs = refreshAfterMs;
    this.#maxWaitMs = maxWaitMs;
  }

  /** Whether the last read failed. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  async get(
    { clock, startTimer = startSystemTimer }: { clock: Clock; startTimer?: StartTimer },
    options: Options<T>,
  ): Promise<T> {
    const isDue = clock.monotonicMs() >= this.#nextAtMs && !this.#reading;
    if (isDue) {
      this.#nextAtMs = clock.monotonicMs() + this.#refreshAfterMs;
      this.#reading = this.#read(options).finally(() => {
        this.#reading = undefined;
        this.#isFirst = false;
      });
    }
    if (this.#reading && (isDue || this.#isFirst)) {
      const reading = this.#reading;
      await new Promise<void>((resolve) => {
        const stopTimer = startTimer(this.#maxWaitMs, resolve);
        void reading.then(stopTimer).then(resolve);
      });
      this.#isFirst = false;
    }
    return this.#value;
  }

  async #read({ read, onFailure }: Options<T>): Promise<void> {
    try {
      this.#value = await read(this.#value);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) onFailure(error);
      this.#isFailing = true;
    }
  }
}

/** A context in which the database may be missing: its getter may throw. */
export type OptionalDatabase<Database> = { readonly database?: Database };

/** Returns the database; undefined if none is configured. */
export function databaseOf<Database>(context: OptionalDatabase<Database>): Database | undefined {
  try {
    return context.database;
  } catch {
    return undefined;
  }
}
