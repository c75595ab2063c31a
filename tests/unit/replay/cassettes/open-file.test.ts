import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { evenPaceMs, type OpenedFile, openFile } from "#lib/replay/cassettes/browser";
import { parseCassette } from "#lib/replay/cassettes/index";
import { harEntry, harOf } from "#tests/support/har";

const folder = resolve(import.meta.dirname, "../../../../content/cassettes");
const cassetteBytes = (id: string) => readFile(resolve(folder, `${id}.json`));
const bodyOf = async (id: string) =>
  Buffer.concat(parseCassette(await cassetteBytes(id)).chunks.map(({ bytes }) => bytes));
const bytesOf = ({ chunks }: OpenedFile) => Buffer.concat(chunks.map(({ bytes }) => bytes));

async function open(name: string, bytes: Uint8Array | string, entry?: number): Promise<OpenedFile> {
  const content = await openFile({ name, bytes: Buffer.from(bytes) }, { entry });
  if (content.kind !== "recording") throw new Error("a choice");
  return content.recording;
}

const entryOf = (text: string, entry: Record<string, unknown> = {}) =>
  harEntry({ url: "https://api.anthropic.com/v1/messages?key=secret", request: {}, text, entry });

describe("a cassette that is opened", () => {
  it.each(["legal/nda-review", "legal/german-lease-terms", "developer-tools/move-commits"])(
    "%s has the chunks and times of its file",
    async (id) => {
      const file = await cassetteBytes(id);
      const { chunks, durationMs, cassette } = parseCassette(file);
      const opened = await open("any-name.json", file);
      expect(opened.chunks).toEqual(chunks);
      expect(opened).toMatchObject({ durationMs, end: cassette.end, status: cassette.response.status, notes: [] });
      expect(opened.events.length).toBeGreaterThan(10);
    },
  );

  it("is refused if it was altered, in its text or in its times", async () => {
    const text = (await cassetteBytes("legal/nda-review")).toString();
    const times = text.replace(/"delta_ms":\s*\d+/, '"delta_ms": 1');
    expect(times).not.toBe(text);
    for (const altered of [text.replace("message_start", "message_stars"), times])
      await expect(open("a.json", altered)).rejects.toThrow("a.json: was altered: its response");
    await expect(open("a.json", text.slice(0, -100))).rejects.toThrow("a.json: is not valid JSON");
    await expect(open("a.json", '{"schema":"cassette/2"}')).rejects.toThrow("does not match the cassette/2 schema");
  });

  it("says so if its checksums cannot be checked", async () => {
    vi.stubGlobal("crypto", {});
    try {
      const { notes } = await open("a.json", await cassetteBytes("legal/nda-review"));
      expect(notes).toEqual([expect.stringContaining("checksums were not checked")]);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe("an event stream that is opened", () => {
  it("keeps its bytes, and plays its events evenly, which it says", async () => {
    const body = await bodyOf("legal/nda-review");
    const opened = await open("capture.sse", body);
    expect(bytesOf(opened).equals(body)).toBe(true);
    expect(opened.chunks.length).toBe(opened.events.length);
    expect(new Set(opened.chunks.map(({ deltaMs }) => deltaMs))).toEqual(new Set([evenPaceMs]));
    expect(opened).toMatchObject({ timing: "synthetic", end: "complete", status: 200 });
    expect(opened.notes.join()).toContain("even pace");
  });

  it("that was cut off is truncated, and one of Ollama is read by its lines", async () => {
    const body = await bodyOf("legal/nda-review");
    expect((await open("capture.sse", body.subarray(0, 2_000))).end).toBe("truncated");
    expect((await open("lines.ndjson", await bodyOf("developer-tools/move-commits"))).provider.name).toBe("ollama");
  });

  it.each([
    ["empty.sse", "", "is empty"],
    ["plain.sse", "data: hello\n\n", "is not an answer of a known provider"],
    ["notes.txt", "hello", "Open an event stream (.sse), a HAR file or a cassette"],
    ["picture.json", "\u0000\u0001", "Open an event stream"],
    ["fixture.json", '{"fixtures":[]}', "the command `cassettes import`"],
    ["many.sse", "data: x\n\n".repeat(100_001), "has 100001 events; the limit is 100000"],
    ["large.sse", "x".repeat(32 * 1024 * 1024 + 1), "the limit is 33554432 (32 MiB)"],
  ])("%s is refused with what to do", async (name, text, message) => {
    await expect(open(name, text)).rejects.toThrow(message);
    await expect(open(name, text)).rejects.toThrow(`${name}: `);
  });
});

describe("a HAR file that is opened", () => {
  it("has its own times", async () => {
    const body = (await bodyOf("legal/nda-review")).toString();
    const entry = entryOf(body, { timings: { wait: 500, receive: 2_000 } });
    const opened = await open("session.har", harOf({ request: {} }, entry));
    expect(opened.notes.join()).toContain("receive time");
    const without = await open("session.har", harOf(entryOf(body)));
    expect(without.chunks.every(({ deltaMs }) => deltaMs === evenPaceMs)).toBe(true);
  });

  it("with several answers lets one be chosen, without showing secrets of their addresses", async () => {
    const [first, second] = [await bodyOf("legal/nda-review"), await bodyOf("finance/working-capital-report")];
    const har = harOf(entryOf(first.toString()), { request: {}, response: {} }, entryOf(second.toString()));
    const content = await openFile({ name: "session.har", bytes: Buffer.from(har) });
    expect(content).toMatchObject({ kind: "choice", answers: [{ number: 1 }, { number: 3, status: 200 }] });
    expect(JSON.stringify(content)).not.toContain("secret");
    expect(bytesOf(await open("session.har", har, 3)).equals(second)).toBe(true);
    await expect(open("session.har", har, 2)).rejects.toThrow("entry 2 is not an answer");
  });
});
