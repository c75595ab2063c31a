import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { readMultipart } from "#lib/replay/recording-proxy/multipart";
import { setUpProxy } from "#tests/support/tape-proxy";

const tapes = setUpProxy();

async function transcribe(audio: string, { file = "a.wav", prompt = "names" } = {}): Promise<Response> {
  const form = new FormData();
  form.set("model", "whisper-1");
  form.set("prompt", prompt);
  form.set("file", new Blob([Buffer.from(audio, "latin1")], { type: "audio/wav" }), file);
  const url = `${tapes.proxy.baseUrl("speech", "openai")}/audio/transcriptions`;
  return fetch(url, { method: "POST", body: form });
}

test("a multipart body matches by its parts, whatever its boundary, and is stored so", async () => {
  await tapes.serve((response) => {
    response.writeHead(200, { "content-type": "application/json" }).end('{"text":"Hello."}');
  });
  await tapes.start("auto");
  expect(await (await transcribe("RIFF\xff\x00\r\n--x")).json()).toEqual({ text: "Hello." });
  await tapes.disconnect();
  const replaying = await tapes.start("replay");
  const missed = [
    await transcribe("RIFF\xff\x01\r\n--x"),
    await transcribe("RIFF\xff\x00\r\n--x", { file: "b.wav" }),
    await transcribe("RIFF\xff\x00\r\n--x", { prompt: "places" }),
  ];
  expect(missed.map(({ status }) => status)).toEqual([424, 424, 424]);
  expect(await missed[2]?.text()).toContain('/multipart/1/text was \\"names\\" and is now \\"places\\"');
  expect(await (await transcribe("RIFF\xff\x00\r\n--x")).json()).toEqual({ text: "Hello." });
  expect((await replaying.end("speech"))?.played).toBe(1);
});

test("a file of a multipart body matches whatever UUID is in its name", async () => {
  await tapes.serve((response) => void response.writeHead(200, { "content-type": "application/json" }).end("{}"));
  await tapes.start("auto");
  await transcribe("RIFF", { file: `tmp-${randomUUID()}.wav` });
  await tapes.disconnect();
  await tapes.start("replay");
  expect((await transcribe("RIFF", { file: `tmp-${randomUUID()}.wav` })).status).toBe(200);
});

test.each([
  ["no boundary", "multipart/form-data", "--x\r\n\r\n\r\n--x--"],
  ["another boundary", "multipart/form-data; boundary=y", "--x\r\n\r\na\r\n--x--"],
  ["no end", "multipart/form-data; boundary=x", "--x\r\n\r\na\r\n"],
  ["a part without an empty line", "multipart/form-data; boundary=x", "--x\r\na\r\n--x--"],
  ["JSON", "application/json", "{}"],
])("a body with %s is kept as it is", (_what, type, body) => {
  expect(readMultipart(type, Buffer.from(body))).toBeNull();
});
