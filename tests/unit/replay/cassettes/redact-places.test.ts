import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { decodeChunk } from "#lib/replay/cassettes/decode-cassette";
import type { Cassette } from "#lib/replay/cassettes/format";
import { redact } from "#lib/replay/cassettes/recorder/index";
import { objectOf } from "#lib/replay/cassettes/request";
import type { TimedChunk } from "#lib/replay/providers/index";
import { isExtended } from "#tests/support/extended";

const usedKey = "sk-ant-api03-Used0000Used1111Used2222Used3333Used4444-AA";

function redactChunks(chunks: TimedChunk[]) {
  return redact({ body: {}, headers: {}, chunks }, []);
}

/** Three reads with arbitrary boundaries. */
function inThree(bytes: Buffer): TimedChunk[] {
  const [one, two] = [Math.floor(bytes.length * 0.3), Math.floor(bytes.length * 0.6)];
  return [bytes.subarray(0, one), bytes.subarray(one, two), bytes.subarray(two)].map((part) => ({
    deltaMs: 1,
    bytes: part,
  }));
}

test.each([
  [
    "a tool's result",
    `data: {"type":"content_block_start","index":2,"content_block":{"type":"mcp_tool_result","content":[{"type":"text","text":"{\\"key\\":\\"${usedKey}\\"}"}]}}\n\n`,
  ],
  [
    "an error event",
    `event: error\ndata: {"type":"error","error":{"type":"api_error","message":"bad key ${usedKey}"}}\n\n`,
  ],
  ["a body that is plain JSON", `{\n  "error": { "message": "bad key ${usedKey}" }\n}`],
  ["a page of HTML", `<html><body>${usedKey}</body></html>`],
  ["a comment of the stream", `: ${usedKey}\n\ndata: {}\n\n`],
  ["data in two lines", `data: {"type":"x",\ndata: "note":"${usedKey}"}\n\n`],
  [
    "a stream that was truncated inside a string",
    `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${usedKey} and th`,
  ],
])("a key in %s is redacted", (_place, body) => {
  const clean = redactChunks(inThree(Buffer.from(body)));
  const bytes = Buffer.concat(clean.chunks.map((chunk) => chunk.bytes));
  expect(bytes.toString()).not.toContain("Used1111");
  expect(bytes.length).toBe(Buffer.byteLength(body));
  expect(clean.redactions).toEqual([
    { place: `response:${body.indexOf(usedKey)}`, rule: "anthropic-key", byte_length: usedKey.length },
  ]);
});

test.each([
  ["after a citation", ""],
  ["in a stream with a zero", `:${" ".repeat(4_096)}\0\n\n`],
])("a secret that continues in the next text block, %s, is redacted", (_case, beginning) => {
  const text = (index: number, said: string) =>
    `data: {"type":"content_block_start","index":${index},"content_block":{"type":"text","text":""}}\n\n` +
    `data: {"type":"content_block_delta","index":${index},"delta":{"type":"text_delta","text":"${said}"}}\n\n`;
  const body = beginning + text(0, `see ${usedKey.slice(0, 30)}`) + text(1, `${usedKey.slice(30)} there`);
  const clean = redactChunks([{ deltaMs: 0, bytes: Buffer.from(body) }]);
  expect(Buffer.from(clean.chunks[0]?.bytes ?? []).toString()).not.toMatch(/Used/);
  expect(clean.redactions).toHaveLength(1);
});

test("a key that is the whole value of a `data` member is redacted", () => {
  const clean = redact({ body: { tool: { data: usedKey } }, headers: {}, chunks: [] }, []);
  expect(JSON.stringify(clean.body)).not.toContain("Used");
});

test("nothing in the bundled cassettes is mistaken for a secret", () => {
  const folder = "content/cassettes";
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    const cassette = JSON.parse(readFileSync(`${folder}/${file}`, "utf8")) as Cassette;
    const chunks = cassette.chunks.map(decodeChunk);
    expect([file, redact({ body: objectOf(cassette.request.body) ?? {}, headers: {}, chunks }, []).redactions]).toEqual(
      [file, []],
    );
  }
});

test("the search takes linear time, also on adversarial texts", () => {
  const hard = [
    "sk-ant-",
    "eyJ",
    "-----BEGIN PRIVATE KEY-----",
    "a://b:",
    "bearer ",
    "\\",
    "AKIA",
    '\\"',
    "secret_access_key=",
    "token=",
    "key a ",
    "?key=",
    "sk_",
    "ak-1",
    '"password":"a',
    '"password": "',
    "curl -u a",
    "1234567:",
    "LS0tLS1CRUdJTi",
    `LS0tLS1CRUdJTi${"aB3+".repeat(12)}\n`,
    '"password":"a\\',
  ];
  for (const piece of hard) {
    const timeOf = (byteSize: number) => {
      const text = piece.repeat(Math.ceil(byteSize / piece.length));
      // CPU time, which other processes do not lengthen.
      const before = process.cpuUsage();
      redact(
        {
          body: { text },
          headers: {},
          chunks: [{ deltaMs: 0, bytes: Buffer.from(`data: ${JSON.stringify({ text })}\n\n`) }],
        },
        [usedKey],
      );
      return process.cpuUsage(before).user / 1_000;
    };
    timeOf(10_000);
    // A quadratic search would take minutes with the large text, and longer than this with the small one.
    expect([piece, timeOf(isExtended ? 400_000 : 60_000) < 5_000]).toEqual([piece, true]);
  }
});

test("every one of very many secrets in a response is redacted", () => {
  const bytes = Buffer.from(`${usedKey} `.repeat(isExtended ? 150_000 : 5_000));
  const { chunks } = redact({ body: {}, headers: {}, chunks: [{ deltaMs: 0, bytes }] }, [usedKey]);
  expect(chunks[0]?.bytes.toString().includes(usedKey)).toBe(false);
});
