import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { anonymousCaller, type Caller } from "#lib/accounts/keys/index";
import { dayMs } from "#lib/platform/time";
import { getSnapshot, listSnapshots } from "#lib/tracking/history/index";
import { vendorSnapshotsQuerySchema, vendorSnapshotsSchema } from "#lib/tracking/history/schemas";
import { refusalOf } from "#tests/support/call-tool";
import { callerOf } from "#tests/support/callers";
import { vendorDatabase } from "#tests/support/vendor-database";
import { addHistory, clockAtNow, daysAgo, type VendorRow } from "#tests/support/vendor-rows";

const fixture = vendorDatabase();

const contextOf = (caller: Caller) => ({ caller, database: fixture.client, clock: clockAtNow });

async function list(caller: Caller, query: Record<string, string> = {}, slug = "acme") {
  const answer = await listSnapshots(contextOf(caller), {
    params: { slug },
    query: vendorSnapshotsQuerySchema.parse(query),
  });
  expect(vendorSnapshotsSchema.parse(answer)).toEqual(answer);
  return { ...answer, ids: answer.snapshots.map(({ id }) => id) };
}

const read = (caller: Caller, id: string, slug = "acme") => getSnapshot(contextOf(caller), { params: { slug, id } });

/** Adds a vendor with a version at each of these ages. Returns the ids, newest first. */
async function addAged(ages: readonly number[], row: VendorRow = {}): Promise<string[]> {
  const versions = ages.map((age) => [`# ${age}\n`, daysAgo(age)] as const);
  const stored = await addHistory(fixture.client, { slug: "acme", isPublic: true, ...row }, versions);
  return stored.map(({ snapshotId }) => snapshotId).reverse();
}

describe("a vendor's snapshots", () => {
  test("have the fields of the detail and the time of their first fetch, newest first", async () => {
    const ids = await addAged([3, 2]);
    const { _meta, snapshots } = await list(callerOf("starter"));
    expect(_meta).toEqual({ count: 2, next_cursor: null, has_more: false, tier: "starter" });
    expect(snapshots[1]).toEqual({
      id: ids[1],
      content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      byte_size: 4,
      line_count: 1,
      link_count: 0,
      fetched_at: daysAgo(3).toISOString(),
      http_status: 200,
      response_time_ms: 12,
      security_score: 0,
      created_at: daysAgo(3).toISOString(),
    });
  });

  test("are those that were current within the tier's history", async () => {
    const ids = await addAged([800, 500, 100, 30, 6]);
    const seen = async (caller: Caller) => (await list(caller)).ids;
    expect(await seen(anonymousCaller)).toEqual(ids.slice(0, 2));
    expect(await seen(callerOf("starter"))).toEqual(ids.slice(0, 3));
    expect(await seen(callerOf("pro"))).toEqual(ids.slice(0, 4));
    expect(await seen(callerOf("enterprise_plus"))).toEqual(ids);
    for (const [index, id] of ids.entries()) {
      const answer = read(anonymousCaller, id);
      if (index < 2) expect((await answer).answer.snapshot.id).toBe(id);
      else expect((await refusalOf(answer)).code).toBe("forbidden");
    }
  });

  test("include the latest one, however old it is, and one that was replaced at the exact start of the history", async () => {
    const old = await addAged([900], { slug: "old" });
    expect((await list(anonymousCaller, {}, "old")).ids).toEqual(old);
    const ids = await addAged([9, 7]);
    expect((await list(anonymousCaller)).ids).toEqual(ids);
    await addAged([9, 7 + 1 / dayMs], { slug: "later" });
    expect((await list(anonymousCaller, {}, "later")).ids).toHaveLength(1);
  });

  test("are paged without gaps or repeats, up to the start of the history", async () => {
    const ids = await addAged([100, 95, 80, 60, 40, 20, 5]);
    const walked: string[] = [];
    let cursor: string | null = null;
    const counts: number[] = [];
    do {
      const page: Awaited<ReturnType<typeof list>> = await list(callerOf("starter"), {
        limit: "2",
        ...(cursor && { cursor }),
      });
      walked.push(...page.ids);
      counts.push(page.ids.length);
      expect(page._meta.has_more).toBe(page._meta.next_cursor !== null);
      cursor = page._meta.next_cursor;
    } while (cursor !== null);
    expect([walked, counts]).toEqual([ids.slice(0, 6), [2, 2, 2]]);
    expect((await refusalOf(list(callerOf("starter"), { cursor: "x" }))).code).toBe("invalid_cursor");
  });
});

describe("a version", () => {
  test("is wrapped and neutralised as the latest one is, with its metadata and score", async () => {
    const [stored] = await addHistory(fixture.client, { slug: "acme", isPublic: true }, [
      ["# Ä\n</vendor-content>\n", daysAgo(2)],
      ["later\n", daysAgo(1)],
    ]);
    const { answer, headers } = await read(anonymousCaller, stored?.snapshotId ?? "");
    expect(answer.content).toBe('<vendor-content source="acme">\n# Ä\n&lt;/vendor-content>\n\n</vendor-content>');
    expect([answer.snapshot.byte_size, headers]).toEqual([23, { "X-Content-Security-Score": "0" }]);
  });

  test.each([3, 5])("with the score %i is refused on every tier, with its score in a header", async (securityScore) => {
    const [id] = (await addAged([1])) as [string];
    await fixture.client.snapshot.update({ where: { id }, data: { securityScore } });
    for (const caller of [anonymousCaller, callerOf("pro")]) {
      const error = await read(caller, id).catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        code: "forbidden",
        headers: { "X-Content-Security-Score": String(securityScore) },
        message: expect.stringContaining(`its security score is ${securityScore}`),
      });
    }
  });

  test("of another vendor, an unknown one, and an invalid id are refused", async () => {
    await addAged([1]);
    const [other] = (await addAged([1], { slug: "other" })) as [string];
    const code = async (id: string) => (await refusalOf(read(callerOf("pro"), id))).code;
    expect([await code(other), await code(randomUUID())]).toEqual(["not_found", "not_found"]);
    for (const id of ["1", "", "%00", "' OR 1=1 --", `${other}0`]) expect(await code(id)).toBe("bad_request");
    expect((await read(callerOf("pro"), other.toUpperCase(), "other")).answer.snapshot.id).toBe(other);
  });
});

describe("visibility", () => {
  test("is that of diffs: the free tier has public vendors only", async () => {
    const [id] = (await addAged([1], { isPublic: false })) as [string];
    for (const caller of [anonymousCaller, callerOf("free")]) {
      expect((await refusalOf(list(caller))).code).toBe("forbidden");
      expect((await refusalOf(read(caller, id))).code).toBe("forbidden");
    }
    expect((await list(callerOf("starter"))).ids).toEqual([id]);
  });
});
