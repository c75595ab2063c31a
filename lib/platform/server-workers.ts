import cluster from "node:cluster";
import { processSingleton } from "./process-singleton";

/** What the processes that serve one port (`WORKERS`) ask each other through their primary process, `lib/server/http/cluster.mjs`. */

/** Whether this process is one of several that serve one port. */
export const isServerWorker: boolean = cluster.isWorker;

type Message = { answerTo?: number; collect?: number; value?: unknown };

class PrimaryChannel {
  readonly #asked = new Map<number, (value: unknown) => void>();
  #questionCount = 0;
  /** Returns what this process adds when one of them collects from all. */
  collect: () => Promise<unknown> = async () => null;

  constructor() {
    process.on("message", (message: Message) => void this.#receive(message));
  }

  ask(question: object): Promise<unknown> {
    this.#questionCount += 1;
    const ask = this.#questionCount;
    return new Promise((resolve) => {
      this.#asked.set(ask, resolve);
      if (process.connected) process.send?.({ ask, ...question });
    });
  }

  async #receive({ answerTo, collect, value }: Message): Promise<void> {
    if (answerTo !== undefined) {
      this.#asked.get(answerTo)?.(value);
      this.#asked.delete(answerTo);
    }
    if (collect === undefined) return;
    const collected = { collected: collect, value: await this.collect().catch(() => null) };
    if (process.connected) process.send?.(collected);
  }
}

const primary = () => processSingleton("primary-channel", () => new PrimaryChannel());

/** Returns how often the processes have counted this key before. */
export async function countInPrimary(key: string): Promise<number> {
  return (await primary().ask({ count: key })) as number;
}

/** Sets what this process adds to `collectFromWorkers`. */
export function addWhenCollected(collect: () => Promise<unknown>): void {
  primary().collect = collect;
}

/** Returns what each process adds, with its number, 1 for the first. Those that do not answer in time are left out. */
export async function collectFromWorkers<T>(): Promise<{ worker: number; value: T }[]> {
  return (await primary().ask({ collects: true })) as { worker: number; value: T }[];
}
