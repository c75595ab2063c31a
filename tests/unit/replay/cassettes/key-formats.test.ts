import { describe, expect, test } from "vitest";
import { redact } from "#lib/replay/cassettes/recorder/index";
import { keyFormats, namedKeys, sampleKey } from "#tests/support/key-formats";

/** Numbers from 0 to 1 that are the same in each run: of a random key, one in hundreds looks like a word. */
function constantNumbers(start: number): () => number {
  let state = start;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function redactText(text: string) {
  const event = Buffer.from(`data: ${JSON.stringify({ text })}\n\n`);
  const clean = redact({ body: { prompt: text }, headers: {}, chunks: [{ deltaMs: 0, bytes: event }] }, []);
  return { ...clean, text: JSON.stringify(clean.body) + Buffer.concat(clean.chunks.map(({ bytes }) => bytes)) };
}

test("the list has 60 formats and more", () => {
  expect(new Set(keyFormats).size).toBe(keyFormats.length);
  expect(keyFormats.length).toBeGreaterThanOrEqual(60);
});

test.each([...keyFormats.map((format) => `Call it with ${format}, please.`), ...namedKeys])(
  "a key of the form %s is masked in the request and in the answer",
  (format) => {
    for (let index = 0; index < 3; index += 1) {
      const { text, random } = sampleKey(format, constantNumbers(index));
      const clean = redactText(text);
      for (const part of random) expect(clean.text).not.toContain(part);
      expect(clean.redactions.map(({ place }) => place)).toContain("/prompt");
      expect(clean.suspicions).toEqual([]);
    }
  },
);

test.each([
  "call_{a24}",
  "toolu_01{a22}",
  "msg_{h48}",
  "resp_{h48}",
  "chatcmpl-{g}",
  "commit {h40}",
  "sha256:{h64}",
  "session {g}",
  "next_page_token: {w40}",
  "the primary key is {h32}",
  "cache_key={h64}",
  "max_tokens: 123456789012345678901234",
  "the token claude-sonnet-4-5-20250929 costs more",
  "ak-example-of-a-long-name-2025-with-words",
  "https://example.com/watch?v={a11}&key=value",
  "https://example.com/files?token=none&page=2",
  "my api key is your-api-key-goes-here-please",
  "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  "gsk_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
])("%s is no secret", (format) => {
  for (let index = 0; index < 20; index += 1) {
    const { text } = sampleKey(format, constantNumbers(index));
    const { redactions, suspicions } = redactText(text);
    expect([text, redactions, suspicions]).toEqual([text, [], []]);
  }
});

test("in a long base64 text nothing is masked, and a key beside it is", () => {
  const chance = ["/ABSK{b128}", "+BSA{a40}", "AIza{a35}", "+dapi{h32}"];
  const parts = [...chance.map((format) => `{b600}${format}`), "{b600}"];
  const { text: image } = sampleKey(parts.join(""), constantNumbers(1));
  expect(redactText(`data:image/png;base64,${image}`).redactions).toEqual([]);
  const { text, random } = sampleKey(`${parts.join("")} ABSKQmVkcm9ja0FQSUtleS{b110}`, constantNumbers(2));
  const key = random.at(-1) as string;
  const clean = redactText(text);
  expect([clean.text.includes(key), clean.text.includes(random[0] as string)]).toEqual([false, true]);
});

test("a random text in the same line as a word for secrets is reported, unless it is allowed", () => {
  const { text, random } = sampleKey(
    "the token that the agent in production has (it is new) {a40}",
    constantNumbers(1),
  );
  const { redactions, suspicions } = redactText(text);
  expect(redactions).toEqual([]);
  expect(suspicions).toEqual([
    { place: "/prompt", rule: "suspicion", byte_length: 40 },
    { place: expect.stringMatching(/^response:\d+$/), rule: "suspicion", byte_length: 40 },
  ]);
  const allowed = redact({ body: { text }, headers: {}, chunks: [] }, [], { allowed: [random[0]?.slice(5, 20) ?? ""] });
  expect(allowed.suspicions).toEqual([]);
});

test("what is allowed is not masked, and a key that was given is, even so", () => {
  const { text } = sampleKey("gsk_{a52}", constantNumbers(2));
  const allowed = { allowed: [text.slice(0, 12)] };
  const bodyOf = (...secrets: string[]) => redact({ body: { text }, headers: {}, chunks: [] }, secrets, allowed).body;
  expect(bodyOf()).toEqual({ text });
  expect(bodyOf(text)).toEqual({ text: "*".repeat(text.length) });
});

describe("in the definition of a tool or server", () => {
  const redactTools = (tools: unknown) => redact({ body: { tools }, headers: {}, chunks: [] }, []);
  const mask = "********";

  test.each([
    [{ authorization: "Bearer abc" }, { authorization: mask }],
    [{ authorization_token: "abc" }, { authorization_token: mask }],
    [
      { headers: { "X-API-Key": "abc", accept: "text/plain" } },
      { headers: { "X-API-Key": mask, accept: "text/plain" } },
    ],
    [{ headers: [{ name: "X-Auth", value: "abc" }] }, { headers: [{ name: "X-Auth", value: mask }] }],
    [{ password: "hunter2" }, { password: mask }],
    [{ token: "abc" }, { token: mask }],
    [{ connection: { client_secret: "abc" } }, { connection: { client_secret: mask } }],
    [{ server_url: "https://a.example/mcp?key=abc&v=2" }, { server_url: `https://a.example/mcp?key=${mask}&v=2` }],
    [{ url: "https://a.example/?sv=1&sig=a%2Fb" }, { url: `https://a.example/?sv=1&sig=${mask}` }],
    [{ url: "https://a.example/?subscription-key=abc" }, { url: `https://a.example/?subscription-key=${mask}` }],
  ])("the credentials of %j are masked, whatever they look like and however long they are", (tool, masked) => {
    const { body, redactions } = redactTools([{ type: "mcp", ...tool }]);
    expect(body).toEqual({ tools: [{ type: "mcp", ...masked }] });
    expect(redactions).toMatchObject([{ rule: "credential" }]);
    expect(redact({ body, headers: {}, chunks: [] }, [])).toMatchObject({ body, redactions: [] });
  });

  test("the parameters that a tool takes stay, and so do tokens elsewhere, which may be words", () => {
    const properties = { password: { type: "string", description: "the password" }, token: { default: "none" } };
    const body = {
      tools: [{ name: "log_in", input_schema: { properties, required: ["password"] } }],
      messages: [{ content: [{ type: "tool_use", input: { token: "abc" } }] }],
    };
    expect(redact({ body, headers: {}, chunks: [] }, [])).toMatchObject({ body, redactions: [] });
  });
});
