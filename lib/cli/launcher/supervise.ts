import { setTimeout as wait } from "node:timers/promises";
import { type Clock, systemClock } from "#lib/platform/clock";
import { minuteMs } from "#lib/platform/time";
import type { KeptProcess } from "./server-process";

/** Most restarts of the server, and of the database, within a minute. */
export const maxRestarts = 5;
/** Interval of checking that the database is running, in milliseconds. */
const checkIntervalMs = 1_000;

/** What the launcher keeps running. */
export type Supervision = {
  /** Rejects when there were too many restarts. Never resolves. */
  failed: Promise<never>;
  /** Ends the supervision, and waits until a restart in progress has ended too. */
  stop(): Promise<void>;
};

type Options = { print: (line: string) => void; clock?: Clock };

/** Repeats `start` until it succeeds, and counts the exits. Throws an Error after too many within a minute. */
class Restarter {
  readonly #name: string;
  readonly #options: Options;
  #exitsMs: number[] = [];

  /** The name starts a sentence, such as "The server". */
  constructor(name: string, options: Options) {
    this.#name = name;
    this.#options = options;
  }

  /** Returns undefined if the signal is aborted. */
  async restart<T>(reason: string, signal: AbortSignal, start: () => Promise<T>): Promise<T | undefined> {
    let latest = reason;
    while (!signal.aborted) {
      this.#countExit(latest);
      try {
        return await start();
      } catch (error) {
        latest = (error as Error).message;
      }
    }
    return undefined;
  }

  #countExit(reason: string): void {
    const { clock = systemClock, print } = this.#options;
    const nowMs = clock.monotonicMs();
    this.#exitsMs = [...this.#exitsMs.filter((exitMs) => nowMs - exitMs < minuteMs), nowMs];
    const what = `${this.#name} exited unexpectedly (${reason}).`;
    if (this.#exitsMs.length > maxRestarts)
      throw new Error(`${what} It was started again ${maxRestarts} times within a minute, so Tapedeck stops.`);
    print(`${what} Starting it again.\n`);
  }
}

/** Runs a loop until its signal is aborted. */
function supervise(loop: (signal: AbortSignal) => Promise<void>): Supervision {
  const controller = new AbortController();
  const ended = loop(controller.signal);
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
      await wait(intervalMs, undefined, { signal }).catch(() => {});
    }
  });
}
