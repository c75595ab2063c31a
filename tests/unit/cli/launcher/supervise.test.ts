import { describe, expect, test } from "vitest";
import { CommandFailure } from "#lib/cli/failure";
import type { KeptProcess } from "#lib/cli/launcher/server-process";
import { superviseDatabase, superviseProcess } from "#lib/cli/launcher/supervise";
import { deferred } from "#tests/support/deferred";

class FakeServer implements KeptProcess {
  readonly #ended = deferred<string>();
  readonly ended = this.#ended.promise;
  isStopped = false;

  exit(reason: string): void {
    this.#ended.resolve(reason);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.exit("stopped");
  }
}

function recordLines() {
  const lines: string[] = [];
  return { lines, print: (line: string) => lines.push(line) };
}

function clockAt(time: { ms: number }) {
  return { now: () => new Date(time.ms), monotonicMs: () => time.ms };
}

describe("the server", () => {
  /** Supervises a process that ends at once, `exits` times, and returns what was printed and the waits in between. */
  async function restart(exits: number, start: (count: number) => Promise<KeptProcess>) {
    const { lines, print } = recordLines();
    const time = { ms: 0 };
    const waitsMs: number[] = [];
    const wait = async (ms: number) => {
      waitsMs.push(ms);
      time.ms += ms;
    };
    const first = new FakeServer();
    const last = deferred<void>();
    let count = 0;
    const supervised = superviseProcess("The server", first, {
      print,
      wait,
      clock: clockAt(time),
      start: () => {
        count += 1;
        if (count < exits) return start(count);
        last.resolve();
        return Promise.resolve(new FakeServer());
      },
    });
    first.exit("SIGKILL");
    await last.promise;
    await supervised.stop();
    return { lines, waitsMs };
  }

  const exiting = async () => {
    const server = new FakeServer();
    server.exit("exit code 1");
    return server;
  };

  test.each([
    ["exits", exiting, "exit code 1", [0, 60, 60, 60]],
    ["cannot start", () => Promise.reject(new Error("No space left on device")), "No space left on device", [243]],
  ] as const)(
    "that %s is started again for as long as it takes, with growing waits, a line a minute, and one when it is back",
    async (_, start, reason, backsAfterS) => {
      const { lines, waitsMs } = await restart(10, start);
      expect(waitsMs).toEqual([0, 1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1_000));
      const isBack = (line: string) => line.includes("is back after");
      const again = `The server is not running (${reason}). Tapedeck starts it again, if needed until it runs.\n`;
      expect(lines.filter(isBack)).toEqual(backsAfterS.map((seconds) => `The server is back after ${seconds} s.\n`));
      expect(lines.filter((line) => !isBack(line))).toEqual([
        "The server is not running (SIGKILL). Tapedeck starts it again, if needed until it runs.\n",
        ...Array<string>(3).fill(again),
      ]);
    },
  );

  test("a stop during a restart ends the restart", async () => {
    const { print } = recordLines();
    const first = new FakeServer();
    const started = deferred<void>();
    const start = (signal: AbortSignal) =>
      new Promise<KeptProcess>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("stopped")));
        started.resolve();
      });
    const { stop } = superviseProcess("The server", first, { start, print });
    first.exit("SIGKILL");
    await started.promise;
    await stop();
  });
});

describe("the database", () => {
  test("is started again when its process is gone, until the launcher stops", async () => {
    const { lines, print } = recordLines();
    let isRunning = false;
    let starts = 0;
    const start = async () => {
      starts += 1;
      isRunning = true;
      return "url";
    };
    const { stop } = superviseDatabase({ isRunning: () => isRunning, start }, { url: "url", print, intervalMs: 1 });
    await expect.poll(() => starts).toBe(1);
    isRunning = false;
    await expect.poll(() => starts).toBe(2);
    await stop();
    expect(lines).toEqual([
      "The database is not running (its process is gone). Tapedeck starts it again, if needed until it runs.\n",
      expect.stringMatching(/^The database is back after \d+ s\.\n$/),
    ]);
  });

  test("that this version cannot use is not waited for", async () => {
    const { lines, print } = recordLines();
    const refuse = () => Promise.reject(new CommandFailure("The database was migrated by a newer version."));
    const database = { isRunning: () => false, start: refuse };
    const { failed } = superviseDatabase(database, { url: "url", print, intervalMs: 1 });
    await expect(failed).rejects.toThrow("newer version");
    expect(lines).toHaveLength(1);
  });

  test("on another port, which the server does not know, the launcher gives up", async () => {
    const { print } = recordLines();
    const database = { isRunning: () => false, start: async () => "other" };
    const { failed } = superviseDatabase(database, { url: "url", print, intervalMs: 1 });
    await expect(failed).rejects.toThrow("Another program uses the database's port.");
  });
});
