import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readRecordedCalls } from "#lib/replay/recording-proxy/index";
import { temporaryFolder } from "#tests/support/temporary-folder";

const root = temporaryFolder();
const recording = (provider: string, path: string, json: object, headers: object = {}) => ({
  schema: "cassette/2",
  provider,
  request: { method: "POST", host: "api.example.com", path, query: "", body: { json } },
  response: { status: 200, headers },
  chunks: [{ delta_ms: 1, s: '{"model":"of-the-answer"}' }],
});

async function writeTape(name: string, files: Record<string, string>): Promise<string> {
  const folder = join(root, name);
  await mkdir(folder, { recursive: true });
  const tape = { schema: "tape/1", test: `${name}.test.ts > works`, exchanges: [] };
  for (const [file, text] of Object.entries({ "tape.json": JSON.stringify(tape), ...files })) {
    await writeFile(join(folder, file), text);
  }
  return folder;
}

const lines = (value: object) => JSON.stringify(value, null, 2);

it("names the model of the body or of the path, however long the request and however the file is formatted", async () => {
  const long = { model: "gpt-5", note: `${"é".repeat(40_000)}\n  "chunks": [`, deep: { chunks: [] } };
  const sunset = { sunset: "Fri, 11 Dec 2026 00:00:00 GMT", deprecation: "@1764547200" };
  const folder = await writeTape("models", {
    "001.cassette.json": lines(recording("openai-chat", "/v1/chat/completions", long)),
    "002.cassette.json": JSON.stringify(recording("gemini", "/v1beta/models/gemini-2.0-flash:generateContent", {})),
    "003.cassette.json": lines(recording("http", "/model/us.anthropic.claude-opus-4-8-v1%3A0/converse", {}, sunset)),
    "004.cassette.json": lines(recording("http", "/files", {})),
  });
  const { tapes, calls } = readRecordedCalls(folder);
  expect(tapes).toBe(1);
  expect(calls.map(({ model }) => model)).toEqual([
    "gpt-5",
    "gemini-2.0-flash",
    "us.anthropic.claude-opus-4-8-v1:0",
    null,
  ]);
  expect(calls[2]).toEqual({
    test: "models.test.ts > works",
    file: join(folder, "003.cassette.json"),
    host: "api.example.com",
    operation: "POST api.example.com/model/us.anthropic.claude-opus-4-8-v1%3A0/converse",
    recordedAt: null,
    model: "us.anthropic.claude-opus-4-8-v1:0",
    ...{ asksModel: false, answered: null, isGone: false },
    ...sunset,
  });
});

it("reads no more of a recording than what is before its answer", async () => {
  const text = lines(recording("openai-chat", "/v1/chat/completions", { model: "gpt-5" }));
  const folder = await writeTape("cut", { "001.cassette.json": text.slice(0, text.indexOf("of-the-answer")) });
  expect(readRecordedCalls(folder).calls).toHaveLength(1);
});

it("names the file that is not a recording", async () => {
  const folder = await writeTape("broken", { "001.cassette.json": "{}" });
  expect(() => readRecordedCalls(folder)).toThrow("001.cassette.json is not a recording");
});
