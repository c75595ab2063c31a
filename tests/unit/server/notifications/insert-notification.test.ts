import { Client } from "pg";
import { afterEach, expect, test } from "vitest";
import { transactDirectly } from "#lib/platform/database/index";
import { notifyChannel } from "#lib/platform/database/notify-listener";
import { announceVendorChange } from "#lib/server/notifications/index";
import { deferred } from "#tests/support/deferred";
import { sharedDatabase } from "#tests/support/shared-database";

const database = sharedDatabase();

const commits: (() => void)[] = [];
afterEach(() => {
  for (const commit of commits) commit();
});

const lastId = async () =>
  (await database.client.$queryRaw<[{ id: bigint }]>`SELECT last_value AS id FROM notifications_id_seq`)[0].id;
const topics = async () =>
  (await database.client.notification.findMany({ orderBy: { id: "asc" } })).map(({ topic }) => topic);

/** Announces a change in a transaction that stays open until `commit` is called. */
async function announce(slug: string) {
  const [announced, mayCommit] = [deferred<void>(), deferred<void>()];
  const ended = transactDirectly(database.client, async (query) => {
    await announceVendorChange(query, slug, new Date());
    announced.resolve();
    await mayCommit.promise;
  });
  commits.push(mayCommit.resolve);
  return { announced: announced.promise, ended, commit: () => mayCommit.resolve() };
}

test("ids are in the order of the commits, since a transaction gets one only when the earlier ones have ended", async () => {
  const first = await announce("first");
  await first.announced;
  const before = await lastId();
  const second = await announce("second");
  const waiting = () =>
    database.client.$queryRaw<object[]>`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`;
  await expect.poll(async () => (await waiting()).length).toBe(1);
  expect(await lastId()).toBe(before);
  expect(await topics()).toEqual([]);
  first.commit();
  await second.announced;
  expect([await lastId(), await topics()]).toEqual([before + 1n, ["vendors/first"]]);
  second.commit();
  await Promise.all([first.ended, second.ended]);
  expect(await topics()).toEqual(["vendors/first", "vendors/second"]);
});

test("listeners are notified when the transaction commits", async () => {
  const listener = new Client({ connectionString: database.url });
  await listener.connect();
  let count = 0;
  listener.on("notification", () => {
    count += 1;
  });
  await listener.query(`LISTEN ${notifyChannel}`);
  const { announced, commit, ended } = await announce("heard");
  await announced;
  await listener.query("SELECT 1");
  expect(count).toBe(0);
  commit();
  await ended;
  await expect.poll(() => count).toBe(1);
  await listener.end();
});
