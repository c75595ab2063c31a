import { describe, expect, it } from "vitest";
import { readCapture } from "#lib/replay/cassettes/import/import-capture";
import { framingOf, readEvents } from "#lib/replay/providers/index";
import { exampleOf, providerProtocols } from "#tests/support/conversation-protocols";
import { harEntry, harOf } from "#tests/support/har";

function read(file: string, text: string, options: Parameters<typeof readCapture>[1] = {}) {
  return readCapture({ file, bytes: Buffer.from(text) }, options);
}

type Imported = ReturnType<typeof read>;
const textOf = ({ chunks }: Imported) => Buffer.concat(chunks.map(({ bytes }) => bytes)).toString();
const foldedBody = ({ provider, chunks, headers }: Imported) =>
  provider.fold(readEvents(chunks, framingOf(headers["content-type"]))).body;

describe.each(providerProtocols)("a capture of %s", (name) => {
  const { provider, body, contentType, stream, request } = exampleOf(name);
  const isLines = contentType.includes("ndjson");

  it("is recognized by its bytes, which stay as they are", () => {
    const imported = read(isLines ? "a.ndjson" : "a.sse", stream);
    expect(imported.provider.name).toBe(provider.name);
    expect(textOf(imported)).toBe(stream);
    expect(imported.chunks.length).toBe(stream.trimEnd().split(isLines ? "\n" : "\n\n").length);
    expect(imported.headers["content-type"]).toBe(contentType);
  });

  it("without streaming is recognized too", () => {
    const imported = read("answer.json", JSON.stringify(body));
    expect({ name: imported.provider.name, type: imported.headers["content-type"] }).toEqual({
      name: provider.name,
      type: "application/json",
    });
    expect(foldedBody(imported)).toEqual(body);
  });

  it("as JSON lines becomes the same answer", () => {
    const lines = readEvents([{ deltaMs: 0, bytes: Buffer.from(stream) }], framingOf(contentType));
    const text = lines.flatMap(({ data, json }) => (json ? [data] : [])).join("\n");
    const imported = read("a.jsonl", text);
    expect(imported.provider.name).toBe(provider.name);
    expect(textOf(imported)).toBe(isLines ? text : stream);
    const rebuilt = { rebuilt: true, note: expect.stringContaining("importer generated") };
    expect(imported.source).toMatchObject({ format: "jsonl", ...(isLines ? {} : rebuilt) });
  });

  it("in a HAR file keeps its path without credentials, below any prefix", () => {
    const { path, query } = provider.upstream.pathOf(request, { model: "m-1", isStream: true });
    const url = `https://gateway.example/llm${path}`;
    const preflight = { request: { method: "OPTIONS", url }, response: { status: 204, headers: [], content: {} } };
    const answer = harEntry({
      url: `${url}?${query}&key=secret&access_token=t`,
      request,
      type: contentType,
      text: stream,
      // Only the header says what it is.
      content: { mimeType: undefined },
      entry: { timings: { wait: 100, receive: 100 } },
    });
    const imported = read("session.har", harOf(preflight, answer));
    expect(imported).toMatchObject({ place: { path, query }, body: request, source: { entry: 2 } });
    expect(imported.provider.name).toBe(provider.name);
    expect(textOf(imported)).toBe(stream);
  });

  it("of another provider is refused", () => {
    const other = exampleOf(name === "anthropic" ? "gemini" : "anthropic");
    const file = other.contentType.includes("ndjson") ? "a.ndjson" : "a.sse";
    expect(() => read(file, other.stream, { provider })).toThrow(
      `${file}: is not an answer of ${provider.title}: its first event`,
    );
  });
});

it("an error of a provider gets the status that it names", () => {
  const { provider } = exampleOf("gemini");
  const error = provider.errorBody({ status: 429, message: "Too many requests.", requestId: "" });
  const imported = read("error.json", JSON.stringify(error));
  expect({ name: imported.provider.name, status: imported.status }).toEqual({ name: "gemini", status: 429 });
});

it("Gemini's stream as a JSON array keeps its bytes", () => {
  const { body } = exampleOf("gemini");
  const text = `[${JSON.stringify(body)}\n,\r\n${JSON.stringify(body)}]`;
  const imported = read("stream.json", text);
  expect(textOf(imported)).toBe(text);
  expect(imported.provider.name).toBe("gemini");
});
