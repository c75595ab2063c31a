import type { GroupResult, LoadJob, LoadMessage, LoadResult } from "./load-job";
import { StreamClient } from "./stream-client";
import { summarizeStreams } from "./summarize-streams";

/**
 * The load generator, the same for all servers: a separate process that accepts one job at a time from its parent.
 * It uses HTTP over plain sockets, because a full client would cost more than the measured server.
 */

/** How long the job waits after the last chunk is due before open streams count as failed. */
const patienceMs = 20_000;
/** Time over which the connections of an in-phase job are opened before the requests. */
const connectWindowMs = 500;

function send(message: LoadMessage): void {
  process.send?.(message);
}

/** Runs each action at its time (milliseconds of `performance.now()`), all due actions together. */
function runAt(actions: { atMs: number; run: () => void }[]): void {
  const ordered = [...actions].sort((a, b) => a.atMs - b.atMs);
  let next = 0;
  const timer = setInterval(() => {
    while (next < ordered.length && ordered[next]!.atMs <= performance.now()) ordered[next++]!.run();
    if (next === ordered.length) clearInterval(timer);
  }, 1);
}

function durationMs(job: LoadJob): number {
  const ends = job.groups.map(
    ({ startAfterMs, startWindowMs, expectation }) => startAfterMs + startWindowMs + expectation.dueMs.at(-1)!,
  );
  return Math.max(...ends);
}

class LoadRun {
  readonly clients: StreamClient[][];
  startedAtMs = Number.NaN;
  #openCount: number;
  #watchdog: NodeJS.Timeout | undefined;
  #resolve: () => void = () => {};

  constructor(readonly job: LoadJob) {
    this.clients = job.groups.map((group) => {
      const chunkCount = group.expectation.endOffsets.length;
      const arrivalsMs = new Float64Array(group.clientCount * chunkCount).fill(Number.NaN);
      return Array.from({ length: group.clientCount }, (_, index) => {
        const own = arrivalsMs.subarray(index * chunkCount, (index + 1) * chunkCount);
        return new StreamClient(group, own, () => this.#clientEnded());
      });
    });
    this.#openCount = this.clients.flat().length;
  }

  /** Resolves when every stream has ended or was abandoned. */
  async play(): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.#resolve = resolve;
    });
    if (this.job.start === "spread") this.#startSpread();
    else await this.#startInPhase();
    this.#watchdog = setTimeout(() => this.#giveUp(), durationMs(this.job) + patienceMs);
    await ended;
    clearTimeout(this.#watchdog);
  }

  #startSpread(): void {
    this.startedAtMs = performance.now();
    runAt(
      this.clients.flatMap((clients) =>
        clients.map((client, index) => ({
          atMs: this.startedAtMs + client.group.startAfterMs + (index * client.group.startWindowMs) / clients.length,
          run: () => client.open(() => client.request()),
        })),
      ),
    );
  }

  async #startInPhase(): Promise<void> {
    const all = this.clients.flat();
    const firstMs = performance.now();
    await new Promise<void>((resolve) => {
      let connectedCount = 0;
      const connected = () => ++connectedCount === all.length && resolve();
      runAt(
        all.map((client, index) => ({
          atMs: firstMs + (index * connectWindowMs) / all.length,
          run: () => client.open(connected),
        })),
      );
      setTimeout(resolve, connectWindowMs * 4);
    });
    this.startedAtMs = performance.now();
    for (const client of all) client.request();
  }

  #clientEnded(): void {
    if (--this.#openCount === 0) this.#resolve();
  }

  #giveUp(): void {
    for (const client of this.clients.flat()) client.finish("timed out");
  }
}

async function runJob(job: LoadJob): Promise<LoadResult> {
  const run = new LoadRun(job);
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  await run.play();
  const elapsedMs = performance.now() - startedAtMs;
  const cpu = process.cpuUsage(cpuBefore);
  send({ type: "ended" });
  const groups: GroupResult[] = run.clients.map((clients) => summarizeStreams(clients, run.startedAtMs));
  return { groups, elapsedMs, loadCpuShare: (cpu.user + cpu.system) / 1000 / elapsedMs };
}

process.on("message", async (job: LoadJob) => send({ type: "result", result: await runJob(job) }));
process.on("disconnect", () => process.exit(0));
send({ type: "ready" });
