import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { RecordingProxy, readConfig } from "#lib/replay/recording-proxy/index";
import { protocols, question } from "#tests/support/conversation-protocols";
import { type Answer, type ProviderDouble, sendPieces, startProvider } from "#tests/support/provider-double";
import { ask, streamAnswer, turnAnswers, upstreamNames } from "#tests/support/tape-conversations";

let folder: string;
let server: ProviderDouble | undefined;
let proxy: RecordingProxy | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tapedeck-untyped-"));
});
afterEach(async () => {
  await proxy?.stop();
  await server?.close();
  [proxy, server] = [undefined, undefined];
  await rm(folder, { recursive: true });
});

/** Answers without a content type, byte by byte at first. */
function untyped(text: string, status = 200): Answer {
  return async (response) => {
    response.writeHead(status);
    const bytes = Buffer.from(text);
    await sendPieces(response, [bytes.subarray(0, 1), bytes.subarray(1, 2), bytes.subarray(2)]);
    response.end();
  };
}

async function recordAndReplay(name: keyof typeof protocols, text: string, status = 200) {
  const protocol = protocols[name];
  const [, variable = ""] = upstreamNames[protocol.provider.name] ?? [];
  server = await startProvider(untyped(text, status));
  const config = await readConfig(folder);
  proxy = await RecordingProxy.start({ config, mode: "auto", environment: { [variable]: server.origin } });
  const live = await ask(protocol, proxy.urlOf("t"), protocol.requestOf(question));
  const [report] = await proxy.stop();
  proxy = await RecordingProxy.start({ config, mode: "replay", environment: {} });
  const played = await ask(protocol, proxy.urlOf("t"), protocol.requestOf(question));
  return { live, played, report };
}

it.each([
  ["anthropic", "text/event-stream; charset=utf-8"],
  ["chat", "text/event-stream; charset=utf-8"],
  ["responses", "text/event-stream; charset=utf-8"],
  ["gemini", "text/event-stream; charset=utf-8"],
  ["ollama", "application/x-ndjson"],
] as const)("a stream of %s without a content type is stored, and replayed as %s", async (name, contentType) => {
  const protocol = protocols[name];
  const text = protocol.provider.unfold(turnAnswers(protocol)[0] ?? {}).events.join("");
  const { live, played, report } = await recordAndReplay(name, text);
  expect(report).toMatchObject({ recorded: 1, notes: [] });
  expect(live.headers["content-type"]).toBeUndefined();
  expect([live.text, played.text]).toEqual([text, text]);
  expect(played.headers["content-type"]).toBe(contentType);
});

it("an error without a content type is JSON, also where a stream was asked for", async () => {
  const { played } = await recordAndReplay("ollama", '{"error":"model not found"}', 404);
  expect([played.status, played.headers["content-type"]]).toEqual([404, "application/json"]);
});

it("a stream without a content type that ends early is told and not stored", async () => {
  const protocol = protocols.chat;
  const { events } = protocol.provider.unfold(turnAnswers(protocol)[0] ?? {});
  const { report } = await recordAndReplay("chat", events.slice(0, -2).join(""));
  expect(report).toMatchObject({
    recorded: 0,
    notes: [expect.stringContaining("it ended before the answer was complete")],
  });
});

it("a whole JSON answer is stored, also if a compatible server leaves out what names its kind", async () => {
  const text = '{"id":"1","choices":[{"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}';
  const { played, report } = await recordAndReplay("chat", text);
  expect(report).toMatchObject({ recorded: 1, notes: [] });
  expect(played.text).toBe(text);
});

it("a JSON answer that is cut is told and not stored", async () => {
  const { report } = await recordAndReplay("chat", '{"id":"1","choices":[{"message":{"role":"assi');
  expect(report).toMatchObject({
    recorded: 0,
    notes: [expect.stringContaining("it ended before the answer was complete")],
  });
});

it("an upstream that is named as host and port, as Ollama's usually is, is recorded", async () => {
  const protocol = protocols.ollama;
  server = await startProvider(streamAnswer(protocol, turnAnswers(protocol)[0] ?? {}));
  const environment = { OLLAMA_HOST: new URL(server.origin).host };
  proxy = await RecordingProxy.start({ config: await readConfig(folder), mode: "auto", environment });
  expect((await ask(protocol, proxy.urlOf("t"), protocol.requestOf(question))).status).toBe(200);
  expect(await proxy.stop()).toMatchObject([{ recorded: 1, notes: [] }]);
});
