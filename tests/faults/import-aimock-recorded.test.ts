import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { LLMock } from "@copilotkit/aimock";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "#lib/platform/clock";
import { importCapture } from "#lib/replay/cassettes/import/index";
import { parseCassette } from "#lib/replay/cassettes/index";
import { messageEvents, type ProviderDouble, sseOf, startProvider, streamOf } from "#tests/support/provider-double";
import { readMessage } from "#tests/support/read-message";
import { temporaryFolder } from "#tests/support/temporary-folder";

const events = messageEvents(["Hello ", "naïve ", "reader ", "of tapes."], "claude-test-1");
const pieces = events.map((event) => sseOf(event));

let folder: string;
let provider: ProviderDouble;
let mock: LLMock;

beforeEach(async () => {
  folder = temporaryFolder();
  provider = await startProvider(streamOf(Buffer.concat(pieces), { chunks: pieces, delayMs: 30 }));
  mock = new LLMock({
    port: 0,
    logLevel: "silent",
    record: { providers: { anthropic: provider.origin }, fixturePath: folder },
  });
  await mock.start();
});

afterEach(() => mock.stop());

async function recordThroughAimock(): Promise<string> {
  const answer = await fetch(`${mock.url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "k", "anthropic-version": "2023-06-01" },
    body: JSON.stringify({
      model: "claude-test-1",
      max_tokens: 64,
      stream: true,
      messages: [{ role: "user", content: "Well?" }],
    }),
  });
  await answer.text();
  const fixtureOf = async () => (await readdir(folder)).find((name) => name.endsWith(".json"));
  await expect.poll(fixtureOf).toBeDefined();
  return join(folder, (await fixtureOf()) ?? "");
}

test("a fixture from aimock's own recorder is imported with its timing and content", async () => {
  const file = await recordThroughAimock();
  const destination = { folder: join(folder, "out"), force: false };
  const input = { file, id: "legal/a", title: "From aimock", subtitle: "", secrets: [], destination };
  const imported = await importCapture({ clock: systemClock }, input);
  expect(imported).toMatchObject({ timing: "measured", chunkCount: pieces.length, end: "complete" });
  const { cassette, chunks } = parseCassette(await readFile(imported.path));
  // A chunk that arrives late shortens the next delta, but not their sum.
  expect(chunks.reduce((sum, { deltaMs }) => sum + deltaMs, 0)).toBeGreaterThan(15 * chunks.length);
  expect(readMessage(chunks).message).toMatchObject({
    model: "claude-test-1",
    content: [{ type: "text", text: "Hello naïve reader of tapes." }],
    stop_reason: "end_turn",
  });
  expect(cassette.provenance.source).toMatchObject({ format: "aimock", rebuilt: true });
  expect(cassette.request.body).toMatchObject({
    json: { model: "claude-test-1", messages: [{ role: "user", content: "Well?" }] },
  });
});
