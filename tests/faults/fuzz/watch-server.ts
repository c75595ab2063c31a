import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** Longest time in which the server may compute while another client waits for its health, in milliseconds. */
const maxBusyMs = 1_000;
/** Most memory that the server may have beside what it had at the start, in bytes. */
const maxGrownByteSize = 1024 * 1024 * 1024;
/** Clock ticks of Linux' process table. */
const msPerTick = 10;
const pauseMs = 20;

/** Returns the processor time of a process's main thread in milliseconds. On a busy machine it passes slower than time does. */
function mainThreadMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
}

/** Returns the resident memory of a process in bytes. */
function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}

function readHealth(origin: string, agent: Agent): Promise<void> {
  return new Promise((settle, reject) => {
    const sent = request(`${origin}/api/v1/health`, { agent, localAddress: "127.67.0.1" }, (response) => {
      response.resume().once("end", settle).once("error", reject);
    });
    sent.on("error", reject).end();
  });
}

/**
 * Reads the health again and again as another client while `work` runs. Returns as problems when it waited for the server's
 * own computing for more than a second, and when the server's memory grew too much, each with the requests
 * that were sent before.
 */
export async function watchServer(
  { origin, pid }: { origin: string; pid: number },
  recent: () => readonly string[],
  work: () => Promise<string[]>,
): Promise<string[]> {
  if (process.platform !== "linux") return work();
  const problems: string[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const startByteSize = memoryOf(pid);
  let [isDone, worstMs, worstBusyMs] = [false, 0, 0];
  let [mostByteSize, maxByteSize] = [startByteSize, startByteSize + maxGrownByteSize];
  const report = (problem: string) => problems.push([problem, ...recent()].join("\n  "));
  const watch = async () => {
    while (!isDone) {
      const [startedMs, startedBusyMs] = [performance.now(), mainThreadMs(pid)];
      await readHealth(origin, agent);
      const [waitedMs, busyMs] = [performance.now() - startedMs, mainThreadMs(pid) - startedBusyMs];
      [worstMs, worstBusyMs] = [Math.max(worstMs, waitedMs), Math.max(worstBusyMs, busyMs)];
      if (busyMs > maxBusyMs) report(`another client waited ${Math.round(waitedMs)} ms, ${busyMs} ms of them computed`);
      const byteSize = memoryOf(pid);
      if (byteSize > maxByteSize) {
        report(`the server's memory grew to ${Math.round(byteSize / 1024 / 1024)} MiB`);
        maxByteSize = byteSize + maxGrownByteSize;
      }
      mostByteSize = Math.max(mostByteSize, byteSize);
      await sleep(pauseMs);
    }
  };
  const watching = watch();
  try {
    problems.push(...(await work()));
  } finally {
    isDone = true;
    await watching;
    agent.destroy();
  }
  const mebibytes = [startByteSize, mostByteSize, memoryOf(pid)].map((size) => Math.round(size / 1024 / 1024));
  console.log(
    `another client waited at most ${Math.round(worstMs)} ms, ${worstBusyMs} ms of computing; memory in MiB at the start, at most and at the end: ${mebibytes.join(", ")}`,
  );
  return problems;
}
