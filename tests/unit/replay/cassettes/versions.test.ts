import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashJson } from "#lib/replay/cassettes/encoding";
import { parseCassette } from "#lib/replay/cassettes/parse-cassette";
import { encodeBody, hashForMatch, joinParent, objectOf, omitShared } from "#lib/replay/cassettes/request";
import { upgradeFile } from "#lib/replay/cassettes/upgrade-cassette";
import { anthropic, requireProvider } from "#lib/replay/providers/index";
import { sampleCassette } from "#tests/support/sample-cassette";

/** Returns the file of a cassette in version 1 of the format. */
function version1(id: string): string {
  const { schema: _schema, request, ...rest } = JSON.parse(sampleCassette(id, "Grüße"));
  const body = request.body.json;
  const old = { path: "/v1/messages", body, sha256: hashJson(body), redactions: [] };
  return JSON.stringify({ schema: "cassette/1", ...rest, request: old });
}

describe("version 1 of the format", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tapedeck-versions-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("is read with the fields of version 2, and the same bytes and times", () => {
    const old = parseCassette(Buffer.from(version1("legal/a")));
    const current = parseCassette(Buffer.from(sampleCassette("legal/a", "Grüße")));
    expect(old.chunks).toEqual(current.chunks);
    expect(old.cassette.schema).toBe("cassette/1");
    const { method, path, query, body } = current.cassette.request;
    expect(old.cassette.request).toMatchObject({ method, path, query, body });
  });

  it("is refused if its request was changed", () => {
    const file = JSON.parse(version1("legal/a"));
    file.request.body.model = "another";
    expect(() => parseCassette(Buffer.from(JSON.stringify(file)))).toThrow("request.sha256 does not match");
  });

  it("is upgraded by a command, once, without a change of the response", async () => {
    const file = join(folder, "a.json");
    await writeFile(file, version1("legal/a"));
    const before = parseCassette(await readFile(file));
    expect([await upgradeFile(file), await upgradeFile(file)]).toEqual([true, false]);
    const after = parseCassette(await readFile(file));
    expect(after.cassette.schema).toBe("cassette/2");
    expect([after.chunks, after.cassette.integrity]).toEqual([before.chunks, before.cassette.integrity]);
    expect(await readFile(file, "utf8")).toBe(sampleCassette("legal/a", "Grüße"));
  });
});

describe("a request in version 2", () => {
  it("has any body: JSON, text or bytes", () => {
    expect(encodeBody(Buffer.from(""))).toBeNull();
    expect(encodeBody(Buffer.from("[1]"))).toEqual({ json: [1] });
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
});
