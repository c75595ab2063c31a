import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Client } from "undici";
import { describe, expect, it } from "vitest";
import { adapters } from "#tests/support/adapters";
import { sendRaw } from "#tests/support/send-raw";

/** Raw HTTP for old and unusual clients. */

const id = "developer-tools/explain-sse";
const path = `/api/v1/replay/${id}?speed=max`;
const file = resolve(import.meta.dirname, "../../../content/cassettes", `${id}.json`);
const { chunks } = JSON.parse(readFileSync(file, "utf8")) as { chunks: { s: string }[] };
const recorded = chunks.map(({ s }) => s).join("");

describe.each(adapters)("on the wire of %s", (_name, origin) => {
  const host = () => `Host: ${new URL(origin()).host}`;

  it("sends a client of HTTP/1.0 the bytes without chunked encoding", async () => {
    const text = await sendRaw(origin(), `GET ${path} HTTP/1.0\r\n${host()}\r\n\r\n`);
    const wire = Buffer.from(text, "latin1").toString();
    const [head, ...body] = wire.split("\r\n\r\n");
    expect(head).not.toMatch(/transfer-encoding/i);
    expect(body.join("\r\n\r\n")).toBe(recorded);
  });

  it("keeps pipelined replays separate and in order", async () => {
    const client = new Client(origin(), { pipelining: 3 });
    const replay = async () => (await client.request({ method: "GET", path })).body.text();
    expect(await Promise.all([replay(), replay(), replay()])).toEqual([recorded, recorded, recorded]);
    await client.close();
  });

  it("cuts off a replay that waits for another one on its connection", async () => {
    const slow = `GET /api/v1/replay/${id}?speed=20 HTTP/1.1\r\n${host()}\r\n\r\n`;
    const messages = [{ role: "user", content: "What is SSE?" }];
    const body = JSON.stringify({ model: "any", max_tokens: 100, stream: true, messages });
    const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nX-Replay-Cassette: ${id}\r\nX-Replay-Fault: cut-after-event=2`;
    const text = await sendRaw(origin(), `${slow}POST /v1/messages HTTP/1.1\r\n${host()}\r\n${headers}\r\n\r\n${body}`);
    const [, whole = "", cut = ""] = text.split("HTTP/1.1 200 ");
    expect([whole.endsWith("\r\n0\r\n\r\n"), cut.match(/^event: /gm)?.length, cut.endsWith("\r\n0\r\n\r\n")]).toEqual([
      true,
      2,
      false,
    ]);
  });
});
