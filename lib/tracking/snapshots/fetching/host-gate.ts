import { onAbort } from "#lib/platform/outbound/index";

type Queue = { activeCount: number; waiting: (() => void)[] };

/** Lets a few tasks at once to each host; the others wait their turn. A host that nobody asks for takes no memory. */
export class HostGate {
  readonly #maxAtOnce: number;
  readonly #queues = new Map<string, Queue>();

  constructor(maxAtOnce = 2) {
    this.#maxAtOnce = maxAtOnce;
  }

  /** Runs a task when it is its turn. Throws what the task throws, and the signal's reason while it waits. */
  async run<T>(host: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const queue = this.#queues.get(host) ?? { activeCount: 0, waiting: [] };
    this.#queues.set(host, queue);
    if (queue.activeCount < this.#maxAtOnce) queue.activeCount += 1;
    else await turnIn(queue, signal);
    try {
      return await task();
    } finally {
      this.#leave(host, queue);
    }
  }

  /** The next one takes the place over, so that nobody comes between. */
  #leave(host: string, queue: Queue): void {
    const next = queue.waiting.shift();
    if (next) return next();
    queue.activeCount -= 1;
    if (queue.activeCount === 0) this.#queues.delete(host);
  }
}

function turnIn(queue: Queue, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const enter = () => {
      ignoreSignal();
      resolve();
    };
    const leave = () => {
      queue.waiting.splice(queue.waiting.indexOf(enter), 1);
      reject(signal?.reason);
    };
    const ignoreSignal = onAbort(signal, leave);
    queue.waiting.push(enter);
  });
}
