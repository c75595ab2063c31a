import { expect, it } from "vitest";
import { isFetchingScheduled } from "#lib/tracking/vendors/index";
import { sharedDatabase } from "#tests/support/shared-database";
import { addVendor } from "#tests/support/vendor-rows";

const database = sharedDatabase();

it("fetching is scheduled as VENDOR_FETCHING says, on Vercel with its secret, else if a file was fetched in the last two days", async () => {
  const { client } = database;
  const now = new Date("2026-11-20T12:00:00Z");
  const unset = { VENDOR_FETCHING: undefined, VERCEL: undefined, CRON_SECRET: undefined };
  let countMs = 0;
  const ask = (settings: object, at = now) => {
    // Counts are cached for ten seconds.
    countMs += 60_000;
    const clock = { now: () => at, monotonicMs: () => countMs };
    return isFetchingScheduled({ database: client, clock }, { ...unset, ...settings });
  };
  expect(await ask({})).toBe(false);
  expect(await ask({ VERCEL: "1" })).toBe(false);
  expect(await ask({ VERCEL: "1", CRON_SECRET: "x".repeat(16) })).toBe(true);
  const sample = await addVendor(client, { slug: "sample" });
  await client.vendor.update({ where: { id: sample.id }, data: { origin: "sample", lastFetchedAt: now } });
  expect(await ask({})).toBe(false);
  const { id } = await addVendor(client, { slug: "acme" });
  await client.vendor.update({ where: { id }, data: { lastFetchedAt: now } });
  expect(await ask({})).toBe(true);
  expect(await ask({ VENDOR_FETCHING: "off" })).toBe(false);
  const later = new Date("2026-11-22T12:00:00Z");
  expect([await ask({}, later), await ask({ VENDOR_FETCHING: "on" }, later)]).toEqual([false, true]);
});
