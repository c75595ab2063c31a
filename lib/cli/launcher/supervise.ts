import { setTimeout as delay } from "node:timers/promises";
import { type Clock, systemClock } from "#lib/platform/clock";
import { minuteMs, secondMs } from "#lib/platform/time";
import { CommandFailure } from "../failure";
import type { KeptProcess } from "./server-process";

/** Longest wait before what exited is started again, in milliseconds. The first restart is at once; each wait doubles. */
export const maxRestartWaitMs = minuteMs;
/** What ran for so long has recovered, so that its next exit is the first again, in milliseconds. */
const recoveredAfterMs = 2 * minuteMs;
/** While restarts fail, the reason is printed again only after this time, in milliseconds. */
const repeatAfterMs = minuteMs;
/** Interval of checking that the database is running, in milliseconds. */
const checkIntervalMs = 1_000;

/** What the launcher keeps running. */
export type Supervision = {
  /** Rejects if it cannot be kept running. Never resolves. */
  failed: Promise<never>;
  /** Ends the supervision, and waits until a restart in progress has ended too. */
  stop(): Promise<void>;
};

type Options = {
  print: (line: string) => void;
  clock?: Clock;
  /** Waits, at most until the signal is aborted. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
};

const waitUntilAborted = (ms: number, signal: AbortSignal) =>
  delay(ms, undefined, { signal }).catch(() => undefined) as Promise<void>;

/**
 * Repeats `start` until it succeeds, with growing waits for as long as it takes: what a restart needs, such as space on the
 * disk, may come back at any time. Says why, once a minute, and when it is back.
 */
export class Restarter {
  readonly #name: string;
  readonly #options: Required<Options>;
  #exitCount = 0;
  #latestExitMs = Number.NEGATIVE_INFINITY;
  #printedMs = Number.NEGATIVE_INFINITY;
  /** Whether the last line says that it is not running. */
  #isSaidDown = false;

  /** The name starts a sentence, such as "The server". */
  constructor(name: string, { clock = systemClock, wait = waitUntilAborted, print }: Options) {
    this.#name = name;
    this.#options = { clock, wait, print };
  }

  /** Returns undefined if the signal is aborted. Throws a CommandFailure of `start`: waiting does not help. */
  async restart<T>(reason: string, signal: AbortSignal, start: () => Promise<T>): Promise<T | undefined> {
    const { clock } = this.#options;
    const sinceMs = clock.monotonicMs();
    let latest = reason;
    while (!signal.aborted) {
      const waitMs = this.#countExit();
      this.#print(latest);
      await this.#options.wait(waitMs, signal);
      if (signal.aborted) break;
      try {
        const started = await start();
        this.#printBack(clock.monotonicMs() - sinceMs);
        return started;
      } catch (error) {
        if (error instanceof CommandFailure) throw error;
        latest = (error as Error).message;
      }
    }
    return undefined;
  }

  /** Returns how long to wait before the next start. */
  #countExit(): number {
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs - this.#latestExitMs > recoveredAfterMs) this.#exitCount = 0;
    this.#latestExitMs = nowMs;
    this.#exitCount += 1;
    return this.#exitCount === 1 ? 0 : Math.min(maxRestartWaitMs, secondMs * 2 ** (this.#exitCount - 2));
  }

  #print(reason: string): void {
    const { clock, print } = this.#options;
    const nowMs = clock.monotonicMs();
    if (this.#exitCount > 1 && nowMs - this.#printedMs < repeatAfterMs) return;
    this.#printedMs = nowMs;
    this.#isSaidDown = true;
    print(`${this.#name} is not running (${reason}). Tapedeck starts it again, if needed until it runs.\n`);
  }

  #printBack(downMs: number): void {
    if (this.#isSaidDown) this.#options.print(`${this.#name} is back after ${Math.ceil(downMs / secondMs)} s.\n`);
    this.#isSaidDown = false;
  }
}

/** Runs a task, mostly a loop, which ends when its signal is aborted. Fails if it throws. */
export function supervise(task: (signal: AbortSignal) => Promise<void>): Supervision {
  const controller = new AbortController();
  const ended = task(controller.signal);
  const failed = new Promise<never>((_resolve, reject) => ended.catch(reject));
  // The launcher may not be waiting for it yet.
  failed.catch(() => undefined);
  return {
    failed,
    stop: async () => {
      controller.abort();
      await ended.catch(() => undefined);
    },
  };
}

/**
 * Starts a process again whenever it exits. The name starts a sentence, such as "The server". `start` rejects on an aborted
 * signal. `stop` stops the process.
 */
export function superviseProcess(
  name: string,
  first: KeptProcess,
  { start, ...options }: Options & { start: (signal: AbortSignal) => Promise<KeptProcess> },
): Supervision {
  const restarter = new Restarter(name, options);
  return supervise(async (signal) => {
    const stopped = new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("stopped")));
    let current: KeptProcess | undefined = first;
    while (current) {
      const ending: string = await Promise.race([current.ended, stopped]);
      if (signal.aborted) return current.stop();
      current = await restarter.restart(ending, signal, () => start(signal));
    }
  });
}

/** The embedded database. `start` returns its URL. */
export type RestartableDatabase = { isRunning(): boolean; start(): Promise<string> };

/** Starts the embedded database again whenever its process is gone. `url` is what the server connects to. */
export function superviseDatabase(
  { isRunning, start }: RestartableDatabase,
  { url, intervalMs = checkIntervalMs, ...options }: Options & { url: string; intervalMs?: number },
): Supervision {
  const restarter = new Restarter("The database", options);
  return supervise(async (signal) => {
    while (!signal.aborted) {
      if (!isRunning()) {
        const startedUrl = await restarter.restart("its process is gone", signal, start);
        if (startedUrl !== undefined && startedUrl !== url)
          throw new Error("Another program uses the database's port. Start Tapedeck again to use another one.");
      }
      await waitUntilAborted(intervalMs, signal);
    }
  });
}
