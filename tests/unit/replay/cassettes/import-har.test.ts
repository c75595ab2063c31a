import { describe, expect, test } from "vitest";
import { readCapture } from "#lib/replay/cassettes/import/import-capture";
import { harEntry } from "#tests/support/har";
import { messageEvents, providerHeaders, sseOf } from "#tests/support/provider-double";

const events = messageEvents(["Hello ", "there."]);
const pieces = events.map((event) => sseOf(event));
const body = sseOf(...events);
const startedAtMs = Date.parse("2026-11-01T10:00:00.000Z");
const request = { model: "claude-test-1", max_tokens: 9, messages: [{ role: "user", content: "Well?" }] };

type Json = Record<string, unknown>;

function entryOf(entry: Json = {}, content: Json = {}, type = "text/event-stream; charset=utf-8"): Json {
  const headers = Object.fromEntries(
    Object.entries(providerHeaders).map(([name, value]) => [name.toUpperCase(), value]),
  );
  const timings = { blocked: 5, dns: 10, connect: 20, ssl: 15, send: 1, wait: 600, receive: 800 };
  return harEntry({
    url: "https://api.anthropic.com/v1/messages?key=secret",
    request,
    type,
    text: body.toString("base64"),
    headers: type === "text/html" ? {} : headers,
    content: { encoding: "base64", ...content },
    entry: { pageref: "page_1", timings, ...entry },
  });
}

const page = { id: "page_1", startedDateTime: "2026-11-01T09:59:59.000Z" };
const other = entryOf({}, {}, "text/html");

function harOf(...entries: Json[]): string {
  return JSON.stringify({
    log: { version: "1.2", creator: { name: "WebInspector", version: "537.36" }, pages: [page], entries },
  });
}

function read(text: string, options: { entry?: number; chunkMs?: number } = {}) {
  return readCapture({ file: "session.har", bytes: Buffer.from(text) }, options);
}

const deltas = ({ chunks }: ReturnType<typeof read>) => chunks.map(({ deltaMs }) => Math.round(deltaMs * 1000) / 1000);
const bytesOf = ({ chunks }: ReturnType<typeof read>) => Buffer.concat(chunks.map(({ bytes }) => bytes));

describe("a HAR file", () => {
  test("without times per event: the wait, then the rest spread evenly, marked as synthetic", () => {
    const stream = read(harOf(other, entryOf()));
    expect(bytesOf(stream).equals(body)).toBe(true);
    expect(deltas(stream)).toEqual([
      600,
      ...pieces.slice(1).map(() => Math.round((800 / (pieces.length - 1)) * 1000) / 1000),
    ]);
    expect(stream).toMatchObject({ timing: "synthetic", boundary: "sse-event", status: 200, body: request });
    expect(stream.source).toMatchObject({
      format: "har",
      tool: "WebInspector 537.36",
      entry: 2,
      url: "https://api.anthropic.com/v1/messages",
      captured_at: "2026-11-01T10:00:00.000Z",
    });
  });

  test("loses headers that identify the client", () => {
    expect(Object.keys(read(harOf(entryOf())).headers).sort()).toEqual([
      "anthropic-ratelimit-requests-remaining",
      "content-type",
      "request-id",
    ]);
  });

  test.each([
    ["seconds", 1000],
    ["milliseconds", 1],
  ])("with the browser's time per event, in %s: measured from when the request was sent", (_unit, divisor) => {
    const messages = events.map((event, index) => ({
      time: (startedAtMs + 35 + 500 + index * 40) / divisor,
      eventName: event.type,
      data: JSON.stringify(event),
    }));
    const stream = read(harOf(entryOf({ _eventSourceMessages: messages })));
    expect(deltas(stream)).toEqual([500, ...pieces.slice(1).map(() => 40)]);
    expect(stream).toMatchObject({ timing: "measured", boundary: "sse-event", source: { rebuilt: false } });
    expect(bytesOf(stream).equals(body)).toBe(true);
  });

  test("with fewer times than events is not marked as measured", () => {
    const stream = read(harOf(entryOf({ _eventSourceMessages: [{ time: startedAtMs / 1000, data: "{}" }] })));
    expect(stream.timing).toBe("synthetic");
  });

  test("without content but with the browser's messages: the stream is rebuilt from them, and noted as rebuilt", () => {
    const messages = events.map((event, index) => ({
      time: startedAtMs + 100 + index,
      eventName: event.type,
      data: JSON.stringify(event),
    }));
    const stream = read(harOf(entryOf({ _eventSourceMessages: messages }, { text: undefined })));
    expect(bytesOf(stream).equals(body)).toBe(true);
    expect(stream.source.rebuilt).toBe(true);
  });

  test("with chrome-har's reads: their boundaries and times", () => {
    const reads = [
      { ts: 1000 + 35 + 400, bytes: 100 },
      { ts: 1000 + 35 + 450, bytes: body.length - 100 },
    ];
    const stream = read(harOf(entryOf({ _chunks: reads })));
    expect(stream.chunks.map(({ bytes }) => bytes.length)).toEqual([100, body.length - 100]);
    expect(deltas(stream)).toEqual([400, 50]);
    expect(stream).toMatchObject({ timing: "measured", boundary: "http-read" });
    const wrong = read(harOf(entryOf({ _chunks: [{ ts: 1400, bytes: 7 }] })));
    expect(wrong.timing).toBe("synthetic");
  });

  test("with unencoded text is read as UTF-8, with even times on request", () => {
    const stream = read(harOf(entryOf({}, { text: body.toString("utf8"), encoding: undefined })), { chunkMs: 7 });
    expect(bytesOf(stream).equals(body)).toBe(true);
    expect(new Set(deltas(stream))).toEqual(new Set([7]));
  });

  test("with several streams requires a choice, and uses the chosen one", () => {
    expect(() => read(harOf(entryOf(), other, entryOf()))).toThrow(
      /session\.har: has 2 answers; choose one with --entry: 1 \(https:\/\/api\.anthropic\.com\/v1\/messages\), 3/,
    );
    expect(read(harOf(entryOf(), other, entryOf()), { entry: 3 }).source.entry).toBe(3);
    expect(() => read(harOf(entryOf(), other), { entry: 2 })).toThrow(/entry 2 is not an answer of a model/);
  });

  test.each([
    [harOf(other), /none of its 1 entries is an answer of a model/],
    [harOf(entryOf({}, { text: "" })), /entry 1 has no content. Save the HAR with content/],
    [harOf(entryOf({}, { text: "data: hi\n\n", encoding: undefined })), /not an answer of Anthropic Messages/],
    ['{"log": 1}', /is not a HAR file/],
    ["{", /session\.har: is not valid JSON/],
  ])("that cannot be imported is an error with its reason", (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});
