import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { request as httpRequest } from "undici";
import { hashForMatch, serializeCassette } from "#lib/replay/cassettes/index";
import { sealExchange } from "#lib/replay/recording-proxy/seal-exchange";
import { Tape } from "#lib/replay/recording-proxy/tape";
import { tapeFolder } from "#lib/replay/recording-proxy/tape-place";
import { inParallel, median, timeOf } from "../harness";
import { cpuTimeMs, listProcessTree, root } from "../processes";
import { promptStream, type Stream, startUpstream } from "./streams";
import { tapedeck } from "./subjects";

const run = promisify(execFile);
const promptOf = (number: number) => `What is the plan for day ${number}?`;
const promptStreams = (count: number) =>
  Array.from({ length: count }, (_, number) => promptStream("chat", promptOf(number)));
/** Recordings of a tape, as of one test. */
const perTape = 20;
const clientCount = 8;

/** Writes a tape with these streams, as the proxy would, but without syncing each file. */
async function writeTape(tapes: string, test: string, streams: readonly Stream[]): Promise<void> {
  const folder = join(tapes, ...tapeFolder(test));
  const tape = await Tape.open({ root: tapes, folder }, test);
  await mkdir(folder, { recursive: true });
  const exchanges = [];
  const source = { base_url: "https://provider.example" };
  const origin = { kind: "recorded", timing: "measured", clock: "monotonic", boundary: "http-read", source } as const;
  const recordedAt = new Date("2026-11-01T00:00:00Z");
  for (const { provider, path, query, body, contentType, bytes } of streams) {
    const file = tape.reserveFile();
    const request = { method: "POST", path, query, body: { json: body } };
    const answer = { status: 200, headers: { "content-type": contentType }, chunks: [{ deltaMs: 1, bytes }] };
    const exchange = { file, provider, request, redactions: [], answer, secrets: [], origin, recordedAt };
    const { cassette } = sealExchange(tape, exchange);
    await writeFile(join(folder, file), serializeCassette(cassette));
    const match = hashForMatch(provider, { ...request, path }).slice(0, 12);
    exchanges.push({ file, request: `${provider.name} POST ${path}`, parent: null, match });
  }
  const index = { schema: "tape/1", test, volatile: [], exchanges };
  await writeFile(join(folder, "tape.json"), `${JSON.stringify(index, null, 2)}\n`);
}

/** Writes `tapeCount` tapes with `count` recordings each. */
async function writeTapes(tapes: string, tapeCount: number, count: number): Promise<void> {
  const streams = promptStreams(count);
  for (let tape = 0; tape < tapeCount; tape += 1) await writeTape(tapes, `test ${tape}`, streams);
}

/** Returns the time to the first byte of the answer, in milliseconds. */
async function post(url: string, body: string): Promise<number> {
  const startMs = performance.now();
  const headers = { "content-type": "application/json" };
  const { statusCode, body: answer } = await httpRequest(url, { method: "POST", headers, body });
  let firstByteMs: number | undefined;
  for await (const _ of answer) firstByteMs ??= performance.now() - startMs;
  if (statusCode !== 200) throw new Error(`The proxy answered with ${statusCode}.`);
  return firstByteMs ?? Number.NaN;
}

async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "tapedeck-bench-own-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const testUrl = (origin: string, test: number, path: string) =>
  `${origin}/t/${encodeURIComponent(`test ${test}`)}/openai${path}`;

/** Requests a second of a proxy that replays tapes, and of its processor time. */
export function measureThroughput(requestCount: number): Promise<{ perSecond: number; perCpuSecond: number }> {
  const tapeCount = Math.ceil(requestCount / perTape);
  return inFolder(async (folder) => {
    await writeTapes(folder, tapeCount, perTape);
    const running = await tapedeck.start({ mode: "replay", folder, upstream: "http://127.0.0.1:9" });
    try {
      const { origin } = new URL(running.baseUrlOf("openai-chat"));
      const streams = promptStreams(perTape).map(({ path, body }) => ({ path, text: JSON.stringify(body) }));
      const runTest = async (test: number) => {
        for (const { path, text } of streams) await post(testUrl(origin, test, path), text);
      };
      const warmUpCount = Math.ceil(tapeCount / 10);
      await inParallel(warmUpCount, 1, runTest);
      const pids = listProcessTree(running.pid);
      const cpuMs = cpuTimeMs(pids);
      const testCount = tapeCount - warmUpCount;
      const wallMs = await timeOf(() => inParallel(testCount, clientCount, (test) => runTest(warmUpCount + test)));
      const count = testCount * perTape;
      return { perSecond: count / (wallMs / 1_000), perCpuSecond: count / ((cpuTimeMs(pids) - cpuMs) / 1_000) };
    } finally {
      await running.stop();
    }
  });
}

export type FirstByte = { kilobytes: number; bareP50Ms: number; recordedP50Ms: number; addedP50Ms: number };

/** Time to the first byte of a bare upstream and of the proxy that records from it, in turn. */
export function measureFirstByte(requestCount: number, kilobytes: number): Promise<FirstByte> {
  const notes = "Lorem ipsum. ".repeat(Math.ceil((kilobytes * 1_000) / 13));
  const streams = promptStreams(requestCount).map((stream) => ({ ...stream, body: { ...stream.body, notes } }));
  return inFolder(async (folder) => {
    const upstream = await startUpstream(streams);
    const running = await tapedeck.start({ mode: "record", folder, upstream: upstream.origin });
    try {
      const { origin } = new URL(running.baseUrlOf("openai-chat"));
      const times: [number[], number[]] = [[], []];
      for (const [index, { path, body }] of streams.entries()) {
        const text = JSON.stringify(body);
        const urls = [`${upstream.origin}${path}`, testUrl(origin, Math.floor(index / perTape), path)];
        for (const place of index % 2 === 0 ? [0, 1] : [1, 0])
          times[place as 0 | 1].push(await post(urls[place]!, text));
      }
      const [bareP50Ms, recordedP50Ms] = times.map((each) => median(each.slice(Math.floor(each.length / 10)))) as [
        number,
        number,
      ];
      return { kilobytes, bareP50Ms, recordedP50Ms, addedP50Ms: recordedP50Ms - bareP50Ms };
    } finally {
      await running.stop();
      await upstream.close();
    }
  });
}

export type FirstAnswer = { loadMs: number; answerMs: number; completeMs: number };

/** Time from the start of a proxy to its first answer, in a new process each time: the median of the runs. */
export function measureFirstAnswer(tapeCount: number, recordingCount: number, runCount: number): Promise<FirstAnswer> {
  return inFolder(async (folder) => {
    await writeTapes(folder, tapeCount, recordingCount);
    const body = JSON.stringify(promptStream("chat", promptOf(recordingCount - 1)).body);
    const program = join(import.meta.dirname, "first-answer.ts");
    const args = ["--import", "tsx", program, folder, `test ${tapeCount - 1}`, body];
    const runs: FirstAnswer[] = [];
    while (runs.length < runCount) runs.push(JSON.parse((await run(process.execPath, args, { cwd: root })).stdout));
    const of = (name: keyof FirstAnswer) => median(runs.map((each) => each[name]));
    return { loadMs: of("loadMs"), answerMs: of("answerMs"), completeMs: of("completeMs") };
  });
}
