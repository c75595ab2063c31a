import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { adapters } from "#tests/support/adapters";

/** Raw HTTP for old and unusual clients. */

const id = "developer-tools/explain-sse";
const path = `/api/v1/replay/${id}?speed=max`;
const file = resolve(import.meta.dirname, "../../../content/cassettes", `${id}.json`);
const { chunks } = JSON.parse(readFileSync(file, "utf8")) as { chunks: { s: string }[] };
const recorded = chunks.map(({ s }) => s).join("");

/** Sends text over a connection and returns everything received until the server closes it. */
async function exchange(origin: string, text: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  const received: Buffer[] = [];
  socket.on("data", (bytes: Buffer) => received.push(bytes));
  socket.write(text);
  await once(socket, "close");
  return Buffer.concat(received).toString();
}

/** Splits the responses of a connection: each head with its decoded body. */
function takeApart(wire: string): { head: string; body: string }[] {
  const found: { head: string; body: string }[] = [];
  for (let rest = wire; rest !== ""; ) {
    const [head, after] = [rest.slice(0, rest.indexOf("\r\n\r\n")), rest.slice(rest.indexOf("\r\n\r\n") + 4)];
    let body = "";
    let place = Buffer.from(after);
    for (;;) {
      const lineEnd = place.indexOf("\r\n");
      const size = Number.parseInt(place.subarray(0, lineEnd).toString(), 16);
      body += place.subarray(lineEnd + 2, lineEnd + 2 + size).toString();
      place = place.subarray(lineEnd + 2 + size + 2);
      if (size === 0) break;
    }
    found.push({ head, body });
    rest = place.toString();
  }
  return found;
}

describe.each(adapters)("on the wire of %s", (_name, origin) => {
  const host = () => `Host: ${new URL(origin()).host}`;

  it("sends a client of HTTP/1.0 the bytes without chunked encoding", async () => {
    const wire = await exchange(origin(), `GET ${path} HTTP/1.0\r\n${host()}\r\n\r\n`);
    const [head, ...body] = wire.split("\r\n\r\n");
    expect(head).not.toMatch(/transfer-encoding/i);
    expect(body.join("\r\n\r\n")).toBe(recorded);
  });

  it("keeps pipelined replays separate and in order", async () => {
    const request = `GET ${path} HTTP/1.1\r\n${host()}\r\n`;
    const wire = await exchange(origin(), `${request}\r\n${request}\r\n${request}Connection: close\r\n\r\n`);
    const answers = takeApart(wire);
    expect(answers.map(({ body }) => body)).toEqual([recorded, recorded, recorded]);
    for (const { head } of answers) expect(head).toMatch(/^HTTP\/1\.1 200 /);
  });
});
