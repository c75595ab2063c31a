import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { anonymousCaller } from "#lib/accounts/keys/index";
import { systemClock } from "#lib/platform/clock";
import { getNewestReport, getReportOfDiff, listRecentChanges } from "#lib/tracking/intelligence/index";
import { insertReport } from "#lib/tracking/intelligence/store";
import { analyseAll } from "#tests/support/analyse-all";
import { vendorDatabase } from "#tests/support/vendor-database";
import { addVendor, addVersion, reportRow } from "#tests/support/vendor-rows";

const at = (hour: number) => new Date(Date.UTC(2026, 10, 20, hour));
const page = (...names: string[]) =>
  `# Example\n\n## Guides\n\n${names.map((name) => `- [${name}](https://docs.example.com/${name}): about it\n`).join("")}`;

const fixture = vendorDatabase();

/** Adds a vendor with two reported changes and returns the ids of the diffs, oldest first. */
async function addReported(row: Parameters<typeof addVendor>[1] = {}): Promise<[string, string]> {
  const { slug } = await addVendor(fixture.client, { slug: "acme", ...row });
  const ids: string[] = [];
  for (const [hour, text] of [page("a"), page("a", "b"), page("a", "b", "c")].entries()) {
    const { diffId } = await addVersion(fixture.client, slug, text, at(hour));
    if (!diffId) continue;
    ids.push(diffId);
    const clock = { now: () => at(hour), monotonicMs: () => 0 };
    await analyseAll({ database: fixture.client, clock });
  }
  return ids as [string, string];
}
const context = () => ({ caller: anonymousCaller, database: fixture.client });

describe("the newest report of a vendor", () => {
  test("is shown in short form", async () => {
    const [, newer] = await addReported();
    const report = await getNewestReport(context(), "acme");
    expect(report).toEqual({
      summary: expect.stringContaining("c"),
      significance: expect.any(Number),
      at: at(2),
      diffId: newer,
    });
  });

  test("is null without a report, for an unknown vendor, or for an account's own vendor", async () => {
    await addVendor(fixture.client, { slug: "new" });
    await addReported({ slug: "own", accountId: fixture.accountId });
    for (const slug of ["new", "nobody", "own"]) expect(await getNewestReport(context(), slug)).toBeNull();
  });
});

describe("the report of a change", () => {
  test("is shown with its sections for every change of a vendor that the free tier covers", async () => {
    const [older, newer] = await addReported({ isPublic: true });
    for (const diffId of [older, newer]) {
      expect(await getReportOfDiff(context(), diffId)).toMatchObject({
        diffId,
        sections: { added: [], removed: [], modified: ["Guides"] },
      });
    }
  });

  test("is shown for other vendors only for the newest change, without sections", async () => {
    const [older, newer] = await addReported();
    expect(await getReportOfDiff(context(), older)).toBeNull();
    expect(await getReportOfDiff(context(), newer)).toMatchObject({ diffId: newer, sections: null });
  });

  test("is null for an account's own vendor, and before it is written", async () => {
    const [, own] = await addReported({ slug: "own", accountId: fixture.accountId, isPublic: true });
    await addVendor(fixture.client, { slug: "fresh", isPublic: true });
    await addVersion(fixture.client, "fresh", "a\n", at(1));
    const { diffId } = await addVersion(fixture.client, "fresh", "b\n", at(2));
    for (const id of [own, diffId as string, randomUUID()]) expect(await getReportOfDiff(context(), id)).toBeNull();
  });
});

const now = new Date("2026-11-21T12:00:00.000Z");
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);

/** Adds a change with its report and returns the id of the diff. */
async function addChange(
  slug: string,
  days: number,
  { significance = 3, ...row }: Parameters<typeof addVendor>[1] & { significance?: number } = {},
): Promise<string> {
  const { id: vendorId } = await addVendor(fixture.client, { slug, isPublic: true, at: daysAgo(900), ...row });
  await addVersion(fixture.client, slug, "first\n", daysAgo(899));
  const { snapshotId, diffId } = await addVersion(fixture.client, slug, `${days}\n`, daysAgo(days));
  const subject = { vendorId, snapshotId, diffId, createdAt: daysAgo(days) };
  const report = { ...subject, significance, summary: `Changed ${slug}.`, categories: ["new-feature"] };
  await insertReport(fixture.client, reportRow(report));
  return diffId as string;
}

describe("the recent changes", () => {
  const read = () => listRecentChanges({ database: fixture.client, clock: { ...systemClock, now: () => now } });

  test("lists the changes of public vendors in the last seven days, newest first, each with its diff", async () => {
    const older = await addChange("older", 6);
    const newer = await addChange("newer", 1);
    await addChange("too-old", 8);
    await addChange("not-public", 1, { isPublic: false });
    const week = await read();
    expect(week.map(({ diffId }) => diffId)).toEqual([newer, older]);
    expect(week[0]).toMatchObject({ vendor: { slug: "newer" }, summary: "Changed newer.", significance: 3 });
  });

  test("lists at most two changes, the most significant ones", async () => {
    await addChange("a", 3);
    const significant = await addChange("b", 2, { significance: 5 });
    const newest = await addChange("c", 1);
    expect((await read()).map(({ diffId }) => diffId)).toEqual([significant, newest]);
  });
});
