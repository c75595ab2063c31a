import { expect, it } from "vitest";
import { protocols, question } from "#tests/support/conversation-protocols";
import { sendPieces } from "#tests/support/provider-double";
import { turnAnswers } from "#tests/support/tape-conversations";
import { setUpProxy } from "#tests/support/tape-proxy";

const tapes = setUpProxy();

/** Records an answer without a content type, byte by byte at first, and replays it. */
async function recordAndReplay(name: keyof typeof protocols, text: string, status = 200) {
  const protocol = protocols[name];
  await tapes.serve(async (response) => {
    response.writeHead(status);
    const bytes = Buffer.from(text);
    await sendPieces(response, [bytes.subarray(0, 1), bytes.subarray(1, 2), bytes.subarray(2)]);
    response.end();
  });
  const recording = await tapes.start("auto");
  const live = await tapes.send(protocol, "t", protocol.requestOf(question));
  const report = await recording.end("t");
  await tapes.start("replay");
  const played = await tapes.send(protocol, "t", protocol.requestOf(question));
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

const { events } = protocols.chat.provider.unfold(turnAnswers(protocols.chat)[0] ?? {});

it.each([
  ["stream", events.slice(0, -2).join("")],
  ["JSON answer", '{"id":"1","choices":[{"message":{"role":"assi'],
])("a %s without a content type that is cut is told and not stored", async (_name, text) => {
  const { report } = await recordAndReplay("chat", text);
  const note = expect.stringContaining("it ended before the answer was complete");
  expect(report).toMatchObject({ recorded: 0, notes: [note] });
});

it("a whole JSON answer is stored, also if a compatible server leaves out what names its kind", async () => {
  const text = '{"id":"1","choices":[{"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}';
  const { played, report } = await recordAndReplay("chat", text);
  expect(report).toMatchObject({ recorded: 1, notes: [] });
  expect(played.text).toBe(text);
});
