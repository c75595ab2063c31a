import { EventEmitter } from "node:events";
import { expect, test, vi } from "vitest";
import { type Candidate, type PlayOptions, playSession } from "#lib/replay/recording-proxy/web-sockets/play";

const count = 30;
const numbers = Array.from({ length: count }, (_, index) => index);

/** Returns a recorded session in which each message of the client has an answer. */
function sessionOf(last: string): Candidate {
  const messages = [...numbers.map((index) => ({ json: { type: "ask", index } })), { json: { type: last } }];
  const chunks = numbers.map((index) => {
    return { deltaMs: 0, bytes: Buffer.from(`{"after":${index + 1},"json":{"type":"answer","index":${index}}}\n`) };
  });
  const exchange = { request: { body: { json: { websocket: messages } } }, isPlayed: false };
  return { exchange, verified: { chunks } } as never;
}

test("sessions that go alike are told apart by their last message, and each answer is compared once", async () => {
  const client = Object.assign(new EventEmitter(), { resume: () => undefined, send: vi.fn(), close: vi.fn() });
  const options = {
    volatile: [],
    volatileText: [],
    isExact: false,
    speed: Number.POSITIVE_INFINITY,
    matching: "request",
  };
  const candidates = [sessionOf("one"), sessionOf("two")];
  const ended = new AbortController().signal;
  const all = { ...options, candidates, read: (message: unknown) => message, ended } as unknown as PlayOptions;
  const parse = vi.spyOn(JSON, "parse");
  const played = playSession(client as never, all);
  for (const index of numbers) {
    client.emit("message", Buffer.from(JSON.stringify({ type: "ask", index })), false);
    await vi.waitUntil(() => client.send.mock.calls.length > index, { interval: 1 });
  }
  client.emit("message", Buffer.from('{"type":"two"}'), false);
  client.emit("close");
  expect(await played).toMatchObject({ missed: undefined, sentCount: count });
  expect(candidates.map(({ exchange }) => exchange.isPlayed)).toEqual([false, true]);
  expect(parse.mock.calls.filter(([text]) => String(text).includes('"answer"'))).toHaveLength(2 * count);
});
