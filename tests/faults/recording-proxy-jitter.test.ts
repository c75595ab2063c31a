import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { RecordingProxy, readConfig, seededDelays } from "#lib/replay/recording-proxy/index";
import { type Json, protocols, question } from "#tests/support/conversation-protocols";
import { startProvider } from "#tests/support/provider-double";
import { ask, control, streamAnswer, testUrl } from "#tests/support/tape-conversations";

const chat = protocols.chat;
const test = "tests/test_trip.py > test_packs";
const body = chat.requestOf(question);
const answer = chat.answerOf({ text: "Sunscreen, a hat and good shoes.", calls: [] }, "a1");
const eventCount = chat.provider.unfold(answer).events.length;

let folder: string;
let proxy: RecordingProxy;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tapedeck-jitter-"));
  const config = await readConfig(folder);
  const server = await startProvider(streamAnswer(chat, answer));
  const recorder = await RecordingProxy.start({
    config,
    mode: "auto",
    environment: { OPENAI_BASE_URL: server.origin },
  });
  await ask(chat, testUrl(recorder.origin, test), body);
  await recorder.stop();
  await server.close();
  proxy = await RecordingProxy.start({ config, mode: "replay", environment: {} });
});
afterAll(async () => {
  await proxy.stop();
  await rm(folder, { recursive: true });
});

/** Plays the recording with a fault. Returns the response's headers, the time of each piece, and the report. */
async function play(fault: Json) {
  const url = testUrl(proxy.origin, test);
  expect(await control(url, "begin", { faults: [{ call: 1, ...fault }] })).not.toHaveProperty("error");
  const startedMs = performance.now();
  const response = await fetch(`${url}/openai/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ ...body, stream: true }),
  });
  let text = "";
  const arrivals: { atMs: number; byteSize: number }[] = [];
  for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(piece).toString("latin1");
    arrivals.push({ atMs: performance.now() - startedMs, byteSize: text.length });
  }
  return { seed: response.headers.get("x-tapedeck-seed"), text, arrivals, report: await control(url, "report") };
}

it("delays each event by what the seed says, and not less", async () => {
  const { seed, text, arrivals, report } = await play({ jitterMs: 40, seed: 7 });
  expect({ seed, notes: report.notes }).toEqual({ seed: "7", notes: [] });
  const events = text.split(/(?<=\n\n)/);
  expect(events).toHaveLength(eventCount);
  const nextDelayMs = seededDelays(7, 40);
  let earliestMs = 0;
  let byteSize = 0;
  for (const event of events) {
    earliestMs += nextDelayMs();
    byteSize += event.length;
    const { atMs = 0 } = arrivals.find((each) => each.byteSize >= byteSize) ?? {};
    // Timers round down to whole milliseconds.
    expect(atMs).toBeGreaterThan(earliestMs - 2 * events.length);
  }
  expect(earliestMs).toBeGreaterThan(10 * eventCount);
  const undelayed = await play({});
  expect(undelayed.text).toBe(text);
  expect(undelayed.seed).toBeNull();
});

it("names a random seed, which repeats the delays", async () => {
  const first = await play({ jitterMs: 2 });
  expect(first.seed).toMatch(/^\d+$/);
  const note = `The random delays of 001.cassette.json have the seed ${first.seed}. Set it as the seed of the fault to repeat them.`;
  expect(first.report.notes).toEqual([note]);
  expect((await play({ jitterMs: 2 })).seed).not.toBe(first.seed);
  const again = await play({ jitterMs: 2, seed: Number(first.seed) });
  expect(again).toMatchObject({ seed: first.seed, text: first.text, report: { notes: [] } });
});

it("refuses delays and seeds that are out of bounds", async () => {
  const url = testUrl(proxy.origin, test);
  for (const fault of [{ jitterMs: 60_001 }, { jitterMs: -1 }, { jitterMs: 1, seed: 2 ** 32 }, { seed: 0.5 }]) {
    expect(await control(url, "begin", { faults: [{ call: 1, ...fault }] })).toHaveProperty("error");
  }
});
