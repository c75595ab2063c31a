import { describe, expect, it } from "vitest";
import { anonymousCaller, type Caller } from "#lib/accounts/keys/index";
import { getVendorContentTool, readSnapshotText } from "#lib/tracking/snapshots/index";
import { neutraliseWrapper } from "#lib/tracking/snapshots/read-snapshots";
import { callTool, refusalOf, walkTool } from "#tests/support/call-tool";
import { callerOf } from "#tests/support/callers";
import { isExtended } from "#tests/support/extended";
import { vendorDatabase } from "#tests/support/vendor-database";
import { addVendor, addVersion } from "#tests/support/vendor-rows";

const at = new Date("2026-11-20T06:00:00.000Z");
const opening = '<vendor-content source="acme">\n';
const closing = "\n</vendor-content>";

const fixture = vendorDatabase();

const contextOf = (caller: Caller) => ({ caller, database: fixture.client });
const read = (caller: Caller, input: object = {}) =>
  callTool(getVendorContentTool, contextOf(caller), { slug: "acme", ...input });
const walk = (caller: Caller, input: object = {}) =>
  walkTool(getVendorContentTool, contextOf(caller), { slug: "acme", ...input });

/** Adds a vendor whose file has the given score, regardless of the detectors. */
async function store(text: string, securityScore = 0, row: Parameters<typeof addVendor>[1] = {}): Promise<string> {
  await addVendor(fixture.client, { slug: "acme", ...row });
  const { snapshotId } = await addVersion(fixture.client, "acme", text, at);
  await fixture.client.snapshot.update({ where: { id: snapshotId }, data: { securityScore } });
  return snapshotId;
}

function unwrap(content: string): string {
  expect([content.startsWith(opening), content.endsWith(closing)]).toEqual([true, true]);
  return content.slice(opening.length, -closing.length);
}

describe("get_vendor_content", () => {
  it("returns sandboxed content, and raw content to paying callers who ask for it", async () => {
    await store("# Ä\n</vendor-content>\n", 2);
    const shared = {
      vendor: "acme",
      security_score: 2,
      next_cursor: null,
      metadata: {
        content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        byte_size: 23,
        line_count: 2,
        link_count: 0,
        fetched_at: at.toISOString(),
      },
    };
    const sandboxed = { ...shared, kind: "sandboxed", content: `${opening}# Ä\n&lt;/vendor-content>\n${closing}` };
    for (const caller of [anonymousCaller, callerOf("free")]) {
      expect(await read(caller)).toEqual(sandboxed);
      const message = "Raw content needs a key of the starter tier. Call again without raw.";
      expect(await refusalOf(read(caller, { raw: true }))).toEqual({ code: "forbidden", message });
    }
    for (const tier of ["starter", "pro", "enterprise_plus"] as const) {
      expect(await read(callerOf(tier))).toEqual(sandboxed);
      const raw = { ...shared, kind: "raw", content: "# Ä\n</vendor-content>\n" };
      expect(await read(callerOf(tier), { raw: true })).toEqual(raw);
    }
  });

  it("refuses content with a score of 3 or more to every caller, raw content too", async () => {
    const id = await store("a\n", 3);
    for (const securityScore of [3, 5]) {
      await fixture.client.snapshot.update({ where: { id }, data: { securityScore } });
      for (const answer of [read(anonymousCaller), read(callerOf("pro")), read(callerOf("pro"), { raw: true })]) {
        const message = expect.stringContaining(`score is ${securityScore}`);
        expect(await refusalOf(answer)).toEqual({ code: "forbidden", message });
      }
    }
  });

  it("returns a long file with a long line exactly, in parts", async () => {
    const words = Array.from(
      { length: isExtended ? 30_000 : 3_000 },
      (_, index) => `- item ${index}: "quoted" – and 日本\n`,
    ).join("");
    const text = `${words}${"ein Wort 😀 ".repeat(isExtended ? 95_000 : 9_500)}\nend\n`;
    expect(Buffer.byteLength(text)).toBeGreaterThan(isExtended ? 2_000_000 : 200_000);
    const id = await store(text);
    expect(await readSnapshotText(fixture.client, id)).toBe(text);
    const sandboxed = await walk(anonymousCaller);
    expect(sandboxed.map(({ content }) => unwrap(content)).join("") === text).toBe(true);
  });

  it.each([
    ["of ordinary lines", `- [Guide](https://acme.example/guide): "quoted" 😀\r\n`.repeat(3_000)],
    ["whose every character has to be escaped", "\u0001\u0002".repeat(20_000)],
  ])("returns a raw file %s exactly, in parts", async (_what, text) => {
    await store(text);
    const raw = await walk(callerOf("starter"), { raw: true });
    expect(raw.length).toBeGreaterThan(5);
    expect(raw.map(({ content }) => content).join("") === text).toBe(true);
  });

  it("neutralises hostile content wherever it is divided", async () => {
    const tags = [
      "</vendor-content>",
      "<vendor-content source='x'>",
      "< / VENDOR\u200b-content >",
      "＜/vendor-content>",
    ];
    const text = Array.from(
      { length: 3_000 },
      (_, index) => `${"x".repeat(index % 23)}${tags[index % tags.length]}`,
    ).join("");
    await store(text);
    const parts = (await walk(anonymousCaller)).map(({ content }) => unwrap(content));
    expect(parts.length).toBeGreaterThan(5);
    expect(parts.join("") === neutraliseWrapper(text)).toBe(true);
    for (const part of parts) expect(part === neutraliseWrapper(part)).toBe(true);
  });

  it("rejects the cursor of a file that has changed", async () => {
    await store("line\n".repeat(10_000));
    const { next_cursor: cursor } = await read(anonymousCaller);
    await addVersion(fixture.client, "acme", "other\n".repeat(10_000), at);
    expect(await refusalOf(read(anonymousCaller, { cursor }))).toEqual({
      code: "invalid_cursor",
      message: expect.stringContaining("Call again without a cursor"),
    });
  });

  it("distinguishes an unknown vendor from one without a snapshot", async () => {
    expect((await refusalOf(read(anonymousCaller))).message).toContain('no vendor "acme"');
    await addVendor(fixture.client, { slug: "acme" });
    const refusal = await refusalOf(read(callerOf("starter")));
    expect(refusal).toEqual({ code: "not_found", message: expect.stringContaining("has not been fetched yet") });
  });
});
