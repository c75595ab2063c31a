import { beforeEach, expect, test } from "vitest";
import { systemClock } from "#lib/platform/clock";
import { listRecentChanges } from "#lib/tracking/intelligence/index";
import { insertReport } from "#lib/tracking/intelligence/store";
import { sharedDatabase } from "#tests/support/shared-database";
import { addVendor, addVersion, reportRow } from "#tests/support/vendor-rows";

const now = new Date("2026-11-21T12:00:00.000Z");
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);

const database = sharedDatabase();
beforeEach(async () => {
  await database.client.vendor.deleteMany();
});

/** Adds a change with its report and returns the id of the diff. */
async function addChange(slug: string, days: number, row: Parameters<typeof addVendor>[1] = {}): Promise<string> {
  const { id: vendorId } = await addVendor(database.client, { slug, isPublic: true, at: daysAgo(900), ...row });
  await addVersion(database.client, slug, "first\n", daysAgo(899));
  const { snapshotId, diffId } = await addVersion(database.client, slug, `${days}\n`, daysAgo(days));
  const subject = { vendorId, snapshotId, diffId, createdAt: daysAgo(days) };
  const report = { ...subject, summary: `Changed ${slug}.`, categories: ["new-feature"] };
  await insertReport(database.client, reportRow(report));
  return diffId as string;
}

const read = () => listRecentChanges({ database: database.client, clock: { ...systemClock, now: () => now } });

test("lists the changes of public vendors in the last seven days, newest first, each with its diff", async () => {
  const older = await addChange("older", 6);
  const newer = await addChange("newer", 1);
  await addChange("too-old", 8);
  await addChange("not-public", 1, { isPublic: false });
  const week = await read();
  expect(week.map(({ diffId }) => diffId)).toEqual([newer, older]);
  expect(week[0]).toMatchObject({ vendor: { slug: "newer" }, summary: "Changed newer.", significance: 3 });
});

test("lists at most two changes", async () => {
  for (const name of ["a", "b", "c"]) await addChange(name, 2);
  expect(await read()).toHaveLength(2);
});
