import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { redact } from "#lib/replay/cassettes/recorder/index";
import type { TimedChunk } from "#lib/replay/providers/index";
import { propertyRuns } from "#tests/support/extended";
import { sampleKey } from "#tests/support/key-formats";
import { readMessage } from "#tests/support/read-message";

const usedKey = "sk-ant-api03-Used0000Used1111Used2222Used3333Used4444-AA";

/** Formats of secrets as in key-formats.ts, each with what is before and after it. Random ones of a length end in a digit. */
const secretFormats: readonly [format: string, before?: string, after?: string][] = [
  ["sk-ant-api03-{w94}7"],
  ["sk-proj-{w60}7"],
  ["sk-{a47}7", "key: "],
  ["AKIA{u16}"],
  ["{b39}7", "aws_secret_access_key = "],
  ["ghp_{a36}"],
  ["github_pat_{a81}7"],
  ["xoxb-{d12}-{d12}-{a23}7"],
  ["AIza{w35}"],
  ["sk_live_{a40}7"],
  ["whsec_{b31}7"],
  ["ltf_{a37}7"],
  ["eyJ{w40}.{w90}.{w43}", "id "],
  ["{a40}7", "Authorization: Bearer "],
  ["\n{b64}\n{b64}\n{b64}\n", "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"],
  ["{a20}7", "postgres://app:", "@db.example.com/app"],
];

/** A text with a secret, and the part of it that must be redacted. */
type SecretSample = { written: string; secret: string };

const secretSample: fc.Arbitrary<SecretSample> = fc
  .tuple(fc.constantFrom(...secretFormats), fc.infiniteStream(fc.nat(9_999)))
  .map(([[format, before = "", after = ""], numbers]) => {
    const { text } = sampleKey(format, () => numbers.next().value / 10_000);
    return { written: `${before}${text}${after}`, secret: text };
  });

/** Ordinary words, code and letters of several scripts, without secrets. */
const prose: fc.Arbitrary<string> = fc
  .array(
    fc.constantFrom(
      "The bearer of this letter",
      "risk-ant-colony",
      "task_test_internationalization",
      "const sk = key;",
      "naïve",
      "日本語",
      "🙂",
      '"quoted"',
      "C:\\new\\table",
      "https://example.com/a?b=c",
      "AKI",
      "Zeile\nzwei",
      "{}",
      "/",
      "postgres://user:password@localhost/db",
      "-----BEGIN CERTIFICATE-----",
      "Basic arithmetic",
      "eyJ",
    ),
    { maxLength: 6 },
  )
  .map((words) => words.join(" "));

/** Returns a string as JSON with every n-th character as a \u escape. */
function encode(text: string, escapeEvery: number): string {
  if (escapeEvery === 0) return JSON.stringify(text);
  const units = [...Array(text.length).keys()].map((index) => {
    const code = text.charCodeAt(index).toString(16).padStart(4, "0");
    return index % escapeEvery === 0 ? `\\u${code}` : JSON.stringify(text[index]).slice(1, -1);
  });
  return `"${units.join("")}"`;
}

/** Splits bytes at fractions of their length. */
function cut<Piece>(length: number, fractions: readonly number[], take: (from: number, to: number) => Piece): Piece[] {
  const places = [...new Set(fractions.map((fraction) => Math.floor(fraction * length)))].sort((a, b) => a - b);
  return [...places, length].map((to, index) => take(index === 0 ? 0 : (places[index - 1] ?? 0), to));
}

type BlockKind = "text" | "thinking" | "input";
const shapes = {
  text: { block: '{"type":"text","text":""}', delta: "text_delta", member: "text" },
  thinking: { block: '{"type":"thinking","thinking":"","signature":""}', delta: "thinking_delta", member: "thinking" },
  input: {
    block: '{"type":"tool_use","id":"toolu_1","name":"save","input":{}}',
    delta: "input_json_delta",
    member: "partial_json",
  },
} as const;

function streamOf(kind: BlockKind, pieces: string[], escapeEvery: number): string {
  const { block, delta, member } = shapes[kind];
  const start = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[]}}`;
  const deltas = pieces.map(
    (piece) =>
      `{"type":"content_block_delta","index":0,"delta":{"type":"${delta}","${member}":${encode(piece, escapeEvery)}}   }`,
  );
  const events = [
    ["message_start", start],
    ["content_block_start", `{"type":"content_block_start","index":0,"content_block":${block}}`],
    ...deltas.map((data) => ["content_block_delta", data]),
    ["content_block_stop", `{"type":"content_block_stop","index":0}`],
    ["message_stop", `{"type":"message_stop"}`],
  ];
  return events.map(([type, data]) => `event: ${type}\ndata: ${data}\n\n`).join("");
}

function toChunks(body: Buffer, fractions: readonly number[]): TimedChunk[] {
  return cut(body.length, fractions, (from, to) => body.subarray(from, to))
    .filter((bytes) => bytes.length > 0)
    .map((bytes, index) => ({ deltaMs: index, bytes }));
}

function redactChunks(chunks: TimedChunk[], ...secrets: string[]) {
  return redact({ body: {}, headers: {}, chunks }, secrets);
}

function blockOf(chunks: readonly TimedChunk[]): Record<string, unknown> {
  const content = readMessage(chunks).message?.content;
  return (content as Record<string, unknown>[])[0] ?? {};
}

function saidIn(chunks: readonly TimedChunk[], kind: BlockKind): string {
  const block = blockOf(chunks);
  if (kind !== "input") return String(block[kind]);
  return String((block.input as { note?: string }).note);
}

function sizes(chunks: readonly TimedChunk[]): [number, number][] {
  return chunks.map(({ deltaMs, bytes }) => [deltaMs, bytes.length]);
}

/** Most doubles from 0 to 1 are next to 0. */
const fractions = fc.array(
  fc.integer({ min: 0, max: 9_999 }).map((part) => part / 10_000),
  { maxLength: 12 },
);
const blockKind = fc.constantFrom<BlockKind>("text", "thinking", "input");
const secretAndKey = fc.oneof(secretSample, fc.constant({ written: usedKey, secret: usedKey }));

test("a secret anywhere in a block is redacted, however deltas, escapes and reads split it; lengths and times stay the same", () => {
  fc.assert(
    fc.property(
      blockKind,
      prose,
      secretAndKey,
      prose,
      fractions,
      fractions,
      fc.integer({ min: 0, max: 4 }),
      (kind, before, sample, after, deltaCuts, readCuts, escapeEvery) => {
        const said = `${before} ${sample.written} ${after}`;
        const streamed = kind === "input" ? JSON.stringify({ note: said }) : said;
        const pieces = cut(streamed.length, deltaCuts, (from, to) => streamed.slice(from, to));
        const chunks = toChunks(Buffer.from(streamOf(kind, pieces, escapeEvery), "utf8"), readCuts);
        expect(saidIn(chunks, kind)).toContain(sample.secret);

        const clean = redactChunks(chunks, usedKey);
        expect(saidIn(clean.chunks, kind)).not.toContain(sample.secret);
        expect(sizes(clean.chunks)).toEqual(sizes(chunks));
        expect(clean.redactions).toHaveLength(1);
        // The surrounding text is unchanged.
        const masked = saidIn(clean.chunks, kind);
        const [head = "", tail = ""] = sample.written.split(sample.secret);
        expect(masked.startsWith(`${before} ${head}*`)).toBe(true);
        expect(masked.endsWith(`*${tail} ${after}`)).toBe(true);
      },
    ),
    { numRuns: propertyRuns(400) },
  );
});

test("redacting twice changes nothing more", () => {
  fc.assert(
    fc.property(blockKind, secretAndKey, fractions, (kind, { written }, deltaCuts) => {
      const streamed = kind === "input" ? JSON.stringify({ note: written }) : written;
      const pieces = cut(streamed.length, deltaCuts, (from, to) => streamed.slice(from, to));
      const once = redactChunks(toChunks(Buffer.from(streamOf(kind, pieces, 0)), []), usedKey);
      const twice = redactChunks(once.chunks, usedKey);
      expect(twice.redactions).toEqual([]);
      expect(Buffer.concat(twice.chunks.map(({ bytes }) => bytes))).toEqual(
        Buffer.concat(once.chunks.map(({ bytes }) => bytes)),
      );
    }),
  );
});

test("prose and code without secrets stay unchanged, in the response and in the request", () => {
  fc.assert(
    fc.property(blockKind, prose, prose, fractions, fractions, (kind, one, two, deltaCuts, readCuts) => {
      const said = `${one} ${two}`;
      const streamed = kind === "input" ? JSON.stringify({ note: said }) : said;
      const pieces = cut(streamed.length, deltaCuts, (from, to) => streamed.slice(from, to));
      const chunks = toChunks(Buffer.from(streamOf(kind, pieces, 0), "utf8"), readCuts);
      const body = { messages: [{ role: "user", content: said }] };
      const clean = redact({ body, headers: {}, chunks }, [usedKey]);
      expect(clean.redactions).toEqual([]);
      expect(clean.body).toEqual(body);
      expect(clean.chunks.map(({ bytes }) => [...bytes])).toEqual(chunks.map(({ bytes }) => [...bytes]));
    }),
  );
});

test("a secret anywhere in a request is redacted, and its place is noted", () => {
  const name = fc.constantFrom("content", "system", "a/b", "~", "secret_note");
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 3 }),
      prose,
      secretAndKey,
      prose,
      name,
      (other, before, sample, after, key) => {
        const place = `/messages/1/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
        const body = { other, messages: ["hello", { [key]: `${before} ${sample.written} ${after}` }] };
        const clean = redact({ body, headers: {}, chunks: [] }, [usedKey]);
        expect(JSON.stringify(clean.body)).not.toContain(JSON.stringify(sample.secret).slice(1, -1));
        expect(clean.redactions).toContainEqual(
          expect.objectContaining({ place, byte_length: Buffer.byteLength(sample.secret) }),
        );
        expect(clean.body.other).toEqual(other);
      },
    ),
  );
});

describe("opaque values", () => {
  const opaque = fc.base64String({ minLength: 200, maxLength: 600 });
  const planted = fc.tuple(opaque, opaque).map(([a, b]) => `${a.replaceAll("=", "")}AKIAABCDEFGHIJKLMNOP${b}`);

  test("the signature of a thinking block is never changed, in the response or in a request that returns it", () => {
    fc.assert(
      fc.property(planted, fractions, (signature, readCuts) => {
        const delta = `{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"${signature}"}}`;
        const redacted = `{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"${signature}"}}`;
        const stream = [delta, redacted].map((data) => `data: ${data}\n\n`).join("");
        const chunks = toChunks(Buffer.from(stream), readCuts);
        const body = { messages: [{ role: "assistant", content: [{ type: "thinking", thinking: "hm", signature }] }] };
        const clean = redact({ body, headers: {}, chunks }, [usedKey]);
        expect(clean.redactions).toEqual([]);
        expect(clean.body).toEqual(body);
      }),
    );
  });

  test("the API key that was used is redacted even in a signature", () => {
    const delta = `{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"abc${usedKey}def"}}`;
    const clean = redactChunks([{ deltaMs: 1, bytes: Buffer.from(`data: ${delta}\n\n`) }], usedKey);
    expect(Buffer.from(clean.chunks[0]?.bytes ?? []).toString()).not.toContain(usedKey);
  });
});

test("a key beside a long image is masked, in a request and in an answer, and a known one inside it", () => {
  const image = Buffer.alloc(300_000, "encoded bytes").toString("base64").replaceAll("=", "");
  const key = "ghp_aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gH3jK5";
  const body = { input: `${key} ${image.slice(0, 150_000)}${usedKey}${image.slice(150_000)} ${key}` };
  const clean = redact({ body, headers: {}, chunks: [{ deltaMs: 1, bytes: Buffer.from(JSON.stringify(body)) }] }, [
    usedKey,
  ]);
  const masked = [body.input, key, usedKey].reduce((text, secret) =>
    text.replaceAll(secret, "*".repeat(secret.length)),
  );
  expect(clean.body.input).toBe(masked);
  expect(Buffer.from(clean.chunks[0]?.bytes ?? []).toString()).toBe(JSON.stringify({ input: masked }));
});

test("a token is masked at the start of long encoded bytes, wherever these start", () => {
  const encoded = Buffer.alloc(150_000, "encoded 7 bytes").toString("base64");
  const before = " ".repeat(32_768 - "input: Bearer ".length);
  const input = `${before}Bearer ${encoded}`;
  const clean = redact({ body: { input }, headers: {}, chunks: [] }, []);
  expect(clean.redactions).toMatchObject([{ rule: "bearer-token", byte_length: 4_000 }]);
});

test("secrets in binary bytes are masked, also a short known one", () => {
  const key = "ghp_aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gH3jK5";
  const bytesOf = (...texts: string[]) => Buffer.from(["", ...texts, ""].join("\0\x02\xff\x03"), "latin1");
  const chunks = [{ deltaMs: 1, bytes: bytesOf("k1!", "a", `\xe9 {"token":"${key}"}`) }];
  const clean = redact({ body: {}, headers: {}, chunks }, ["k1!"], { minLength: 3 });
  expect(clean.chunks[0]?.bytes).toEqual(bytesOf("***", "a", `\xe9 {"token":"${"*".repeat(key.length)}"}`));
  expect(clean.redactions.map(({ byte_length }) => byte_length)).toEqual([3, key.length]);
});

test("a body of many short strings is not searched for each pattern in each of them", () => {
  const search = vi.spyOn(String.prototype, "matchAll");
  const countFor = (keyCount: number) => {
    search.mockClear();
    const members = Array.from({ length: keyCount }, (_, index) => [`key ${index}`, `text ${index}`]);
    redact({ body: { ...Object.fromEntries(members), key: usedKey }, headers: {}, chunks: [] }, []);
    return search.mock.calls.length;
  };
  try {
    expect(countFor(1_000)).toBe(countFor(10));
  } finally {
    search.mockRestore();
  }
});
