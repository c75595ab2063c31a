import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "#lib/platform/clock";
import { type ImportInput, importCapture } from "#lib/replay/cassettes/import/index";
import { parseCassette } from "#lib/replay/cassettes/index";
import { messageEvents, sseOf } from "#tests/support/provider-double";
import { temporaryFolder } from "#tests/support/temporary-folder";

let folder: string;

beforeEach(async () => {
  folder = temporaryFolder();
});

async function importText(name: string, content: string | Uint8Array, change: Partial<ImportInput> = {}) {
  const file = join(folder, name);
  await writeFile(file, content);
  const imported = await importCapture(
    { clock: systemClock },
    {
      file,
      id: "legal/a",
      title: "Imported",
      subtitle: "",
      secrets: [],
      destination: { folder: join(folder, "out"), force: true },
      ...change,
    },
  );
  return { imported, ...parseCassette(await readFile(join(folder, "out/legal/a.json"))) };
}

const bytesOf = (chunks: readonly { bytes: Uint8Array }[]) => Buffer.concat(chunks.map(({ bytes }) => bytes));
const events = messageEvents(["Hello ", "naïve 🙂 ", "world."]);
const body = sseOf(...events);

describe("a raw capture", () => {
  test("keeps its exact bytes, one event per chunk, and marks its times as synthetic", async () => {
    const { cassette, chunks } = await importText("a.sse", body);
    expect(bytesOf(chunks).equals(body)).toBe(true);
    expect(chunks.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(
      events.map((event) => sseOf(event).toString()),
    );
    expect(cassette.provenance).toMatchObject({
      kind: "imported",
      timing: "synthetic",
      clock: "none",
      boundary: "sse-event",
      source: { file: "a.sse", format: "sse" },
    });
    expect(cassette.end).toBe("complete");
    expect(cassette.usage).toEqual({ input_tokens: 9, output_tokens: 3 });
  });

  test("gets the same times for the same bytes, and different ones for different bytes", async () => {
    const deltas = async (bytes: Buffer) => (await importText("a.sse", bytes)).chunks.map(({ deltaMs }) => deltaMs);
    const first = await deltas(body);
    expect(await deltas(body)).toEqual(first);
    expect(await deltas(sseOf(...messageEvents(["Hello ", "naïve 🙂 ", "there!"])))).not.toEqual(first);
    expect(first[0]).toBeGreaterThanOrEqual(400);
    expect(first.reduce((sum, deltaMs) => sum + deltaMs, 0)).toBeLessThan(3_000);
  });

  test("that was truncated, or ends with an error, is marked as such", async () => {
    const cut = await importText("a.sse", body.subarray(0, body.length - 40));
    expect(cut.cassette.end).toBe("truncated");
    const error = sseOf(...events.slice(0, 3), {
      type: "error",
      error: { type: "overloaded_error", message: "Overloaded" },
    });
    expect((await importText("a.sse", error)).cassette.end).toBe("error");
  });

  test("says how many of its events are not JSON", async () => {
    expect((await importText("a.sse", body)).imported.notJsonCount).toBe(0);
    const broken = Buffer.concat([body, Buffer.from("event: ping\ndata: {oops\n\ndata: [1]\n\n")]);
    expect((await importText("a.sse", broken)).imported.notJsonCount).toBe(2);
  });

  test("loses its secrets, and gets its request from the options", async () => {
    const key = "sk-ant-api03-Key0000Key1111Key2222Key3333-AA";
    const stream = sseOf(...messageEvents([`see ${key.slice(0, 20)}`, `${key.slice(20)}!`]));
    const request = { model: "m", messages: [{ role: "user", content: `Is it ${key}?` }] };
    const { cassette, chunks, imported } = await importText("a.sse", stream, { body: request });
    expect(bytesOf(chunks).toString()).not.toContain("Key");
    expect(cassette.request.body).toEqual({
      json: { model: "m", messages: [{ role: "user", content: `Is it ${"*".repeat(key.length)}?` }] },
    });
    expect(imported.redactionCount).toBe(2);
  });
});

test.each([
  ['{"type":"ping"}\n{oops}\n', /a\.jsonl: line 2 is not valid JSON/],
  ['{"type":"message_start","message":{}}\n{"kind":"x"}\n', /a\.jsonl: line 2 is not an event: it has no "type"/],
  ['{"type":"ping"}\n', /is not an answer of a known provider: its first event is ping/],
])("JSON lines that are invalid are errors with the line number: %j", async (text, message) => {
  await expect(importText("a.jsonl", text)).rejects.toThrow(message);
});

test.each([
  [
    "a.sse",
    'data: {"id":"any"}\n\ndata: [DONE]\n\n',
    /is not an answer of a known provider: its first event has no type/,
  ],
  ["a.sse", "Hello\n", /has no server-sent events/],
  ["a.sse", "", /a\.sse: is empty/],
  ["notes.md", "# Notes\n", /unknown format.*--format sse\|jsonl\|json\|har\|aimock/],
])("a file that is not a capture is an error with its name and the reason: %s %j", async (name, text, message) => {
  await expect(importText(name, text)).rejects.toThrow(message);
});

test("a missing file and a folder are errors with the reason", async () => {
  const input = { id: "legal/a", title: "x", subtitle: "", secrets: [], destination: { folder, force: false } };
  await expect(importCapture({ clock: systemClock }, { ...input, file: join(folder, "none.sse") })).rejects.toThrow(
    /none\.sse: not found/,
  );
  await expect(importCapture({ clock: systemClock }, { ...input, file: folder })).rejects.toThrow(/is a folder/);
});
