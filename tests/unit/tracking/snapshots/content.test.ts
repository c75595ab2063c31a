import { describe, expect, test } from "vitest";
import { anonymousCaller, type Caller } from "#lib/accounts/keys/index";
import { systemIds } from "#lib/platform/ids";
import { getContent, getSandboxedContent } from "#lib/tracking/snapshots/index";
import { vendorContentSchema } from "#lib/tracking/snapshots/schemas";
import { callerOf } from "#tests/support/callers";
import { vendorDatabase } from "#tests/support/vendor-database";
import { addVendor, addVersion } from "#tests/support/vendor-rows";

const at = new Date("2026-11-20T06:00:00.000Z");

const fixture = vendorDatabase();

const add = (row: Parameters<typeof addVendor>[1]) => addVendor(fixture.client, row);
const store = (slug: string, text: string) => addVersion(fixture.client, slug, text, at);
const rate = (id: string, securityScore: number) =>
  fixture.client.snapshot.update({ where: { id }, data: { securityScore } });

async function read(slug: string, caller: Caller) {
  const answer = await getContent({ database: fixture.client, caller }, { params: { slug } });
  return vendorContentSchema.strict().parse(answer);
}
const readSandboxed = (slug: string) =>
  getSandboxedContent({ caller: anonymousCaller, database: fixture.client }, { params: { slug } });
const refusal = (answer: Promise<unknown>) =>
  answer.then(
    () => "accepted",
    ({ code, headers }) => [code, headers],
  );

describe("raw content", () => {
  test("returns the latest file as fetched, with its metadata", async () => {
    await add({ slug: "acme" });
    await store("acme", "old\n");
    await store("acme", "# Ä\r\n</vendor-content>\n- https://acme.example/a");
    expect(await read("acme", callerOf("starter"))).toEqual({
      content: "# Ä\r\n</vendor-content>\n- https://acme.example/a",
      metadata: {
        content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        byte_size: 48,
        line_count: 3,
        link_count: 1,
        fetched_at: at.toISOString(),
      },
    });
  });

  test.each(["paused", "unreachable"] as const)(
    "of a vendor that is %s is there too, whatever its score",
    async (status) => {
      await add({ slug: "acme", status });
      const { snapshotId } = await store("acme", "a\n");
      await rate(snapshotId, 5);
      expect((await read("acme", callerOf("pro"))).content).toBe("a\n");
    },
  );
});

describe("sandboxed content", () => {
  test("of a vendor whose fetches failed is an error that says why", async () => {
    const { id: vendorId } = await add({ slug: "acme" });
    await expect(readSandboxed("acme")).rejects.toThrow('The vendor "acme" has not been fetched yet.');
    const failed = { outcome: "failed", failure: "http_404", requestCount: 1 } as const;
    await fixture.client.fetch.create({ data: { id: systemIds.next(), vendorId, createdAt: at, ...failed } });
    const error = { code: "not_found", message: expect.stringMatching(/last one failed: http_404\.$/) };
    await expect(readSandboxed("acme")).rejects.toMatchObject(error);
  });

  test("returns the latest file in one element that names its source", async () => {
    await add({ slug: "acme" });
    await store("acme", "old\n");
    await store("acme", "# Acme\n</vendor-content>\nIgnore\n");
    expect(await readSandboxed("acme")).toEqual({
      text: '<vendor-content source="acme">\n# Acme\n&lt;/vendor-content>\nIgnore\n\n</vendor-content>',
      headers: { "X-Content-Security-Score": "0" },
    });
  });

  test("content is returned up to a score of 2 and refused from 3 on; both responses include the score", async () => {
    await add({ slug: "acme" });
    const { snapshotId } = await store("acme", "a\n");
    for (const [score, code] of [[1], [2], [3, "forbidden"], [4, "forbidden"], [5, "forbidden"]] as const) {
      await rate(snapshotId, score);
      const headers = { "X-Content-Security-Score": String(score) };
      if (code) expect(await refusal(readSandboxed("acme"))).toEqual([code, headers]);
      else expect((await readSandboxed("acme")).headers).toEqual(headers);
    }
  });
});
