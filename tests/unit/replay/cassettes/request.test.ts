import { describe, expect, it } from "vitest";
import { parseCassette } from "#lib/replay/cassettes/parse-cassette";
import { encodeBody, hashForMatch, joinParent, objectOf, omitShared } from "#lib/replay/cassettes/request";
import { anthropic, requireProvider } from "#lib/replay/providers/index";
import { sampleCassette } from "#tests/support/sample-cassette";

it("a cassette of version 1 of the format is refused, and the message says what to do", () => {
  const file = JSON.stringify({ ...JSON.parse(sampleCassette("legal/a", "Grüße")), schema: "cassette/1" });
  expect(() => parseCassette(Buffer.from(file))).toThrow(
    "has the format cassette/1, which is no longer read. Record it again",
  );
});

describe("a request", () => {
  it("has any body: JSON, text or bytes", () => {
    expect(encodeBody(Buffer.from(""))).toBeNull();
    expect(encodeBody(Buffer.from("[1]"))).toEqual({ json: [1] });
    expect(encodeBody(Buffer.from('{"__proto__":1}'))).toEqual({ s: '{"__proto__":1}' });
    expect(encodeBody(Buffer.from("a=1&b"))).toEqual({ s: "a=1&b" });
    expect(encodeBody(Uint8Array.of(0xff, 0))).toEqual({ b: "/wA=" });
    expect([objectOf({ json: { a: 1 } }), objectOf({ json: [1] }), objectOf({ s: "x" }), objectOf(null)]).toEqual([
      { a: 1 },
      null,
      null,
      null,
    ]);
  });

  it("is stored without what its parent has, and is complete again together with it", () => {
    const [a, b, c] = ["a", "b", "c"].map((content) => ({ role: "user", content }));
    const parent = { model: "m", messages: [a, b] };
    const child = { model: "m", messages: [a, b, c] };
    const stored = omitShared(child, { id: "x/1", body: parent }, "/messages");
    expect(stored).toEqual({
      body: { model: "m", messages: [c] },
      parent: { id: "x/1", field: "/messages", omitted: 2 },
    });
    const request = { body: { json: stored.body }, parent: { ...stored.parent, answers: 1, match_sha256: "" } };
    expect(joinParent(request, parent)).toEqual(child);
    expect(joinParent(request, { messages: [a] })).toBeNull();
    const edited = { model: "m", messages: [c, b] };
    expect(omitShared(edited, { id: "x/1", body: parent }, "/messages")).toMatchObject({
      body: edited,
      parent: { omitted: 0 },
    });
  });

  it("is matched without the fields that clients make up, the model, and the form of the answer", () => {
    const hash = (body: Record<string, unknown>, path = "/v1/messages") =>
      hashForMatch(anthropic, { method: "POST", path, query: "", body: { json: body } });
    const body = { messages: [{ role: "user", content: "x" }], max_tokens: 5 };
    const same = hash(body);
    expect(hash({ ...body, model: "m", stream: true, metadata: { user_id: "u" } })).toBe(
      hash({ ...body, metadata: {} }),
    );
    expect(hash({ max_tokens: 5, model: "n", messages: body.messages })).toBe(same);
    expect(hash({ ...body, temperature: 0 })).not.toBe(same);
    expect(hash(body, "/v1/messages/count_tokens")).not.toBe(same);
    const gemini = requireProvider("gemini");
    const ask = (action: string) =>
      hashForMatch(gemini, {
        method: "POST",
        path: `/v1beta/models/${action}`,
        query: "",
        body: { json: { contents: [] } },
      });
    expect(ask("a:generateContent")).toBe(ask("b:streamGenerateContent"));
  });

  it("for embeddings or a token count is matched with what it names, without what clouds and versions add", () => {
    const hash = (provider: string, path: string, query = "") =>
      hashForMatch(requireProvider(provider), { method: "POST", path, query, body: { json: { input: "x" } } });
    const embeddings = hash("openai-chat", "/v1/embeddings");
    expect(hash("openai-chat", "/openai/deployments/d/embeddings", "api-version=2024-10-21")).toBe(embeddings);
    const embedContent = hash("gemini", "/v1beta/models/m:embedContent", "key=secret");
    const vertex = "/v1/projects/p/locations/l/publishers/google/models/m:embedContent";
    for (const path of ["/v1/models/m:embedContent", vertex]) expect(hash("gemini", path)).toBe(embedContent);
    for (const other of ["other:embedContent", "m:batchEmbedContents"])
      expect(hash("gemini", `/v1beta/models/${other}`)).not.toBe(embedContent);
    // Plain HTTP is compared as a whole.
    expect(hash("http", "/v1/embeddings")).not.toBe(hash("http", "/v2/embeddings"));
    expect(hash("http", "/v1/embeddings", "a=1")).not.toBe(hash("http", "/v1/embeddings"));
  });
});
