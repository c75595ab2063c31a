import { describe, expect, test } from "vitest";
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
  test("is started again up to five times within a minute, and then the launcher gives up", async () => {
    const { lines, print } = recordLines();
    const first = new FakeServer();
    const start = async () => {
      const server = new FakeServer();
      server.exit("exit code 1");
      return server;
    };
    const { failed } = superviseProcess("The server", first, { start, print, clock: clockAt({ ms: 0 }) });
    first.exit("SIGKILL");
    await expect(failed).rejects.toThrow(
      "The server exited unexpectedly (exit code 1). It was started again 5 times within a minute, so Tapedeck stops.",
    );
    expect(lines).toEqual([
      "The server exited unexpectedly (SIGKILL). Starting it again.\n",
      ...Array<string>(4).fill("The server exited unexpectedly (exit code 1). Starting it again.\n"),
    ]);
  });

  test("may exit any number of times with enough time in between", async () => {
    const { lines, print } = recordLines();
    const time = { ms: 0 };
    const first = new FakeServer();
    let latest = first;
    const start = async () => {
      latest = new FakeServer();
      time.ms += 15_000;
      return latest;
    };
    const { stop } = superviseProcess("The server", first, { start, print, clock: clockAt(time) });
    for (let exit = 1; exit <= 20; exit += 1) {
      const before = latest;
      before.exit("SIGKILL");
      await expect.poll(() => latest !== before, { interval: 1 }).toBe(true);
    }
    await stop();
    expect([lines.length, latest.isStopped]).toEqual([20, true]);
  });

  test("a failed start counts as an exit", async () => {
    const { lines, print } = recordLines();
    const first = new FakeServer();
    const start = async () => {
      throw new Error("port in use");
    };
    const { failed } = superviseProcess("The server", first, { start, print, clock: clockAt({ ms: 0 }) });
    first.exit("SIGKILL");
    await expect(failed).rejects.toThrow("The server exited unexpectedly (port in use).");
    expect(lines).toHaveLength(5);
  });

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
    expect(lines).toHaveLength(2);
  });

  test("on another port, which the server does not know, the launcher gives up", async () => {
    const { print } = recordLines();
    const database = { isRunning: () => false, start: async () => "other" };
    const { failed } = superviseDatabase(database, { url: "url", print, intervalMs: 1 });
    await expect(failed).rejects.toThrow("Another program uses the database's port.");
  });
});
