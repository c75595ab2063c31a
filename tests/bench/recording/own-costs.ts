import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { median, quantileOfSorted } from "../replay/percentiles";
import { cpuTimeMs, listProcessTree } from "../replay/process-stats";
import { promptOf, writeTape, writeTapes } from "./generated-tapes";
import { promptStream, type Stream, startUpstream } from "./streams";
import { tapedeck } from "./subjects";

const run = promisify(execFile);
const agent = new HttpAgent({ keepAlive: true });

type Sent = { status: number; firstByteMs: number };

function post(url: string, body: string): Promise<Sent> {
  return new Promise((answered, failed) => {
    const startMs = performance.now();
    let firstByteMs = Number.NaN;
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const request = httpRequest(url, { method: "POST", agent, headers });
    request.on("error", failed);
    request.on("response", (response) => {
      response.once("data", () => {
        firstByteMs = performance.now() - startMs;
      });
      response.on("data", () => undefined);
      response.on("error", failed);
      response.on("end", () => answered({ status: response.statusCode ?? 0, firstByteMs }));
    });
    request.end(body);
  });
}

async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "tapedeck-bench-own-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

export type Throughput = { perSecond: number; perCpuSecond: number };

/** Requests a second of a proxy that replays tapes of 20 recordings, with 8 clients. */
export function measureThroughput(requestCount: number): Promise<Throughput> {
  const perTape = 20;
  const tapeCount = Math.ceil(requestCount / perTape);
  const clientCount = 8;
  return inFolder(async (folder) => {
    await writeTapes(folder, tapeCount, perTape);
    const running = await tapedeck.start({ mode: "replay", folder, upstream: "http://127.0.0.1:9" });
    try {
      const origin = new URL(running.baseUrlOf("openai-chat")).origin;
      const bodies = Array.from({ length: perTape }, (_, index) =>
        JSON.stringify(promptStream("chat", promptOf(index)).body),
      );
      const tests = Array.from({ length: tapeCount }, (_, tape) => `test ${tape}`);
      const runTests = async (names: string[]) => {
        for (let test = names.pop(); test !== undefined; test = names.pop()) {
          for (const body of bodies) {
            const url = `${origin}/t/${encodeURIComponent(test)}/openai/v1/chat/completions`;
            const { status } = await post(url, body);
            if (status !== 200) throw new Error(`The proxy answered with ${status}.`);
          }
        }
      };
      await runTests(tests.splice(0, Math.ceil(tapeCount / 10)));
      const count = tests.length * perTape;
      const pids = listProcessTree(running.server.child.pid ?? 0);
      const [cpuMs, startMs] = [cpuTimeMs(pids), performance.now()];
      await Promise.all(Array.from({ length: clientCount }, () => runTests(tests)));
      const seconds = (performance.now() - startMs) / 1000;
      return { perSecond: count / seconds, perCpuSecond: count / ((cpuTimeMs(pids) - cpuMs) / 1000) };
    } finally {
      await running.stop();
    }
  });
}

export type FirstByte = { requestKilobytes: number; bareP50Ms: number; recordedP50Ms: number; addedP50Ms: number };

/** Time to the first byte of a bare upstream and of the proxy that records from it, in turn. */
export function measureFirstByte(requestCount: number, kilobytes: number): Promise<FirstByte> {
  const padding = "Lorem ipsum. ".repeat(Math.ceil((kilobytes * 1000) / 13));
  const streams = Array.from({ length: requestCount }, (_, index): Stream => {
    const stream = promptStream("chat", promptOf(index));
    return { ...stream, body: { ...stream.body, notes: padding } };
  });
  return inFolder(async (folder) => {
    const upstream = await startUpstream(streams);
    const running = await tapedeck.start({ mode: "record", folder, upstream: upstream.origin });
    try {
      const times: [number[], number[]] = [[], []];
      for (const [index, { path, body }] of streams.entries()) {
        const text = JSON.stringify(body);
        const origins = [upstream.origin, running.baseUrlOf("openai-chat")];
        // A tape of 20 recordings, as of one test.
        const test = encodeURIComponent(`test ${Math.floor(index / 20)}`);
        const urls = [`${origins[0]}${path}`, `${new URL(origins[1] as string).origin}/t/${test}/openai${path}`];
        for (const place of index % 2 === 0 ? [0, 1] : [1, 0]) {
          const { status, firstByteMs } = await post(urls[place] as string, text);
          if (status !== 200) throw new Error(`The proxy answered with ${status}.`);
          times[place as 0 | 1].push(firstByteMs);
        }
      }
      const [bareP50Ms = 0, recordedP50Ms = 0] = times.map((each) =>
        quantileOfSorted(
          each.slice(Math.floor(each.length / 10)).sort((a, b) => a - b),
          0.5,
        ),
      );
      return { requestKilobytes: kilobytes, bareP50Ms, recordedP50Ms, addedP50Ms: recordedP50Ms - bareP50Ms };
    } finally {
      await running.stop();
      await upstream.stop();
    }
  });
}

export type FirstAnswer = { loadMs: number; answerMs: number; completeMs: number; unopenedCount: number };

/** Time from the start of a proxy to its first answer, in a new process each time. */
export function measureFirstAnswer(
  { tapeCount, recordingCount }: { tapeCount: number; recordingCount: number },
  runCount: number,
): Promise<FirstAnswer> {
  return inFolder(async (folder) => {
    if (tapeCount === 1) {
      const streams = Array.from({ length: recordingCount }, (_, index) => promptStream("chat", promptOf(index)));
      await writeTape(folder, "test 0", streams);
    } else await writeTapes(folder, tapeCount, recordingCount);
    const number = tapeCount === 1 ? recordingCount - 1 : 0;
    const body = JSON.stringify(promptStream("chat", promptOf(number)).body);
    const runs: FirstAnswer[] = [];
    for (let index = 0; index < runCount; index += 1) {
      const program = resolve(import.meta.dirname, "first-answer.ts");
      const args = ["--import", "tsx", program, folder, tapeCount === 1 ? "test 0" : `test ${tapeCount - 1}`, body];
      const { stdout } = await run(process.execPath, args, { cwd: resolve(import.meta.dirname, "../../..") });
      runs.push(JSON.parse(stdout));
    }
    const of = (pick: (each: FirstAnswer) => number) => median(runs.map(pick));
    return {
      loadMs: of(({ loadMs }) => loadMs),
      answerMs: of(({ answerMs }) => answerMs),
      completeMs: of(({ completeMs }) => completeMs),
      unopenedCount: runs[0]?.unopenedCount ?? 0,
    };
  });
}
