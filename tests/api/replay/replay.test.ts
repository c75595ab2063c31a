import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { adapters } from "#tests/support/adapters";
import { bundledFolder, bundledIds } from "#tests/support/bundled-cassettes";
import { readStream } from "#tests/support/read-stream";

type Stored = { provider: string; integrity: { body_sha256: string }; chunks: { delta_ms: number; s: string }[] };
const stored = (id: string) => JSON.parse(readFileSync(join(bundledFolder, `${id}.json`), "utf8")) as Stored;
/** Returns where each of consecutive pieces ends. */
function endsOf(sizes: readonly number[]): number[] {
  let end = 0;
  return sizes.map((size) => {
    end += size;
    return end;
  });
}
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

describe.each(adapters)("replay through %s", (_name, origin) => {
  it.each(bundledIds)("returns %s byte for byte", async (id) => {
    const { status, headers, body } = await readStream(`${origin()}/api/v1/replay/${id}?speed=max`);
    expect(status).toBe(200);
    expect(sha256(body)).toBe(stored(id).integrity.body_sha256);
    expect(headers).toMatchObject({
      "content-type": stored(id).provider === "ollama" ? "application/x-ndjson" : "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      "access-control-allow-origin": "*",
      "x-replay-source": "cassette",
      "x-replay-cassette": id,
      "x-replay-tokens-spent": "0",
      "x-replay-provenance": "authored",
      "x-replay-timing": "synthetic",
    });
    expect(headers["access-control-expose-headers"]).toBe("*");
    expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers["content-encoding"]).toBeUndefined();
  });

  it("keeps the chunk boundaries and never sends a chunk before its time", async () => {
    const id = "developer-tools/explain-sse";
    const speed = 4;
    const { chunks } = await readStream(`${origin()}/api/v1/replay/${id}?speed=${speed}`, {
      headers: { "accept-encoding": "gzip, br" },
    });
    const recorded = stored(id).chunks;
    const due = endsOf(recorded.map(({ delta_ms }) => delta_ms / speed));
    // On a busy machine, chunks that are due meanwhile arrive together; none is divided.
    const ends = endsOf(recorded.map(({ s }) => Buffer.byteLength(s)));
    expect(ends).toEqual(expect.arrayContaining(endsOf(chunks.map(({ bytes }) => bytes.length))));
    expect(chunks.length).toBeGreaterThan(recorded.length / 10);
    expect(chunks[0]?.atMs).toBeGreaterThanOrEqual((due[0] as number) - 1);
    expect(chunks.at(-1)?.atMs).toBeGreaterThanOrEqual((due.at(-1) as number) - 1);
  });

  it("streams to several concurrent readers without mixing them up", async () => {
    const some = bundledIds.slice(0, 8);
    const bodies = await Promise.all(some.map((id) => readStream(`${origin()}/api/v1/replay/${id}?speed=50`)));
    expect(bodies.map(({ body }) => sha256(body))).toEqual(some.map((id) => stored(id).integrity.body_sha256));
  });

  it.each([
    "speed=0",
    "speed=0.09",
    "speed=101",
    "speed=fast",
    "speed=",
    "speed=1e1",
    "speed=-1",
    "speed=1&speed=2",
    "ids=0",
    "ids=true",
    ["from=3"],
    "ids=1&from=-1",
    "ids=1&from=9999999",
    "ids=1&from=99999",
    "ids=1&from=x",
    "ids=1&from=2&fault=stall=1s",
    "fault=nothing",
    "fault=cut-after-event=99999",
  ])("rejects ?%s with 400 and a reason", async (query) => {
    const { status, body } = await readStream(`${origin()}/api/v1/replay/developer-tools/explain-sse?${query}`);
    expect(status).toBe(400);
    expect(JSON.parse(body.toString())).toEqual({
      code: "bad_request",
      status: 400,
      error: expect.stringMatching(/speed|ids|from|fault|cut-after-event/),
    });
  });

  it("ignores unknown query parameters", async () => {
    const { status } = await readStream(`${origin()}/api/v1/replay/developer-tools/explain-sse?speed=max&utm=1&utm=2`);
    expect(status).toBe(200);
  });

  it.each([
    "nope",
    "legal/no-such-cassette",
    "medical/explain-sse",
    "LEGAL/nda-review",
    "legal/..%2f..%2fpackage",
    "legal/%2e%2e%2fpackage",
    "..%2flegal/nda-review",
    "legal/nda-review%00",
    "legal/nda-review.json",
    "legal/%20",
    "legal/a%2fb",
    `legal/${"a".repeat(5000)}`,
    "legal/%E2%82%AC",
  ])("responds to %s with a JSON 404", async (path) => {
    const { status, headers, body } = await readStream(`${origin()}/api/v1/replay/${path}`);
    expect(status).toBe(404);
    expect(headers["content-type"]).toMatch(/^application\/json/);
    expect(JSON.parse(body.toString())).toMatchObject({ code: "not_found", status: 404 });
    expect(body.toString()).not.toContain("/v1/messages");
    expect(body.toString()).not.toMatch(/node_modules|\/lib\/|content\/cassettes|ENOENT/);
  });

  it("names the cassette where its folder is missing", async () => {
    for (const path of ["replay/explain-sse", "cassettes/explain-sse"]) {
      const { status, body } = await readStream(`${origin()}/api/v1/${path}`);
      const error = 'There is no cassette "explain-sse". Nearest: developer-tools/explain-sse.';
      expect([status, JSON.parse(body.toString()).error]).toEqual([404, error]);
    }
  });

  it("responds to HEAD with the headers of GET and no body", async () => {
    const { status, headers, body } = await readStream(`${origin()}/api/v1/replay/legal/nda-review`, {
      method: "HEAD",
    });
    expect(status).toBe(200);
    expect(headers["x-replay-cassette"]).toBe("legal/nda-review");
    expect(body).toHaveLength(0);
  });

  it("responds to other methods with a JSON 405 and Allow, and to OPTIONS with the preflight", async () => {
    const url = `${origin()}/api/v1/replay/legal/nda-review`;
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const { status, headers, body } = await readStream(url, { method });
      expect(status).toBe(405);
      expect(headers.allow).toBe("GET, HEAD, OPTIONS");
      expect(JSON.parse(body.toString())).toMatchObject({ code: "method_not_allowed", status: 405 });
    }
    const preflight = await readStream(url, {
      method: "OPTIONS",
      headers: {
        origin: "https://a.example",
        "access-control-request-method": "GET",
        "access-control-request-headers": "last-event-id",
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET, HEAD, OPTIONS",
      "access-control-allow-headers": "last-event-id",
    });
  });

  it("adds ids with ids=1 without changing the events, and resumes after any of them", async () => {
    const url = `${origin()}/api/v1/replay/small-business/multilingual-guest-replies?speed=max&ids=1`;
    const whole = (await readStream(url)).body.toString();
    const frames = whole.split(/(?=^id: )/m);
    const plain = (await readStream(url.replace("&ids=1", ""))).body.toString();
    expect(whole.replaceAll(/^id: .*\n/gm, "")).toBe(plain);
    const idsSeen = frames.map((frame) => /^id: (.*)$/m.exec(frame)?.[1] as string);
    expect(new Set(idsSeen).size).toBe(frames.length);
    for (const index of [0, 1, 7, frames.length - 2]) {
      const rest = await readStream(url, { headers: { "last-event-id": idsSeen[index] as string } });
      expect(rest.body.toString()).toBe(frames.slice(index + 1).join(""));
    }
    const over = await readStream(url, { headers: { "last-event-id": idsSeen.at(-1) as string } });
    expect(over.status).toBe(204);
    const unknown = await readStream(url, { headers: { "last-event-id": "5-77" } });
    expect(unknown.body.toString()).toContain(`Its ids are ${idsSeen[0]} to ${idsSeen.at(-1)}: `);
    expect(unknown.status).toBe(400);
  });

  it("adds no ids to a stream that has no server-sent events", async () => {
    const url = `${origin()}/api/v1/replay/developer-tools/move-commits?speed=max`;
    const plain = await readStream(url);
    expect((await readStream(`${url}&ids=1`)).body).toEqual(plain.body);
  });

  it("starts at a chunk with from", async () => {
    const url = `${origin()}/api/v1/replay/developer-tools/explain-sse?speed=max&ids=1`;
    const frames = (await readStream(url)).body.toString().split(/(?=^id: )/m);
    const rest = (await readStream(`${url}&from=100`)).body.toString();
    expect(rest).toBe(frames.filter((frame) => Number.parseInt(frame.slice(4), 10) >= 100).join(""));
    expect(rest.length).toBeGreaterThan(1000);
  });

  it("has the faults that fault= asks for, except where it is resumed", async () => {
    const url = `${origin()}/api/v1/replay/developer-tools/explain-sse?speed=max&ids=1`;
    const frames = (await readStream(url)).body.toString().split(/(?=^id: )/m);
    const failed = await readStream(`${url}&fault=error-after-event=3,first-byte=5ms,jitter=1ms;seed=7`);
    const [error, ...rest] = failed.body
      .toString()
      .split(/(?=^event: error)/m)
      .reverse();
    expect([rest.reverse().join(""), error]).toEqual([
      frames.slice(0, 3).join(""),
      expect.stringContaining("request asks"),
    ]);
    const status = await readStream(`${url}&fault=status=529;retry-after=2`);
    expect([status.status, status.headers["retry-after"]]).toEqual([529, "2"]);
    const [, id = ""] = /^id: (.*)$/m.exec(frames[2] as string) ?? [];
    const resumed = await readStream(`${url}&fault=cut-after-event=3`, { headers: { "last-event-id": id } });
    expect(resumed.body.toString()).toBe(frames.slice(3).join(""));
  });
});
