import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { createDatabase } from "#lib/platform/database/index";
import { notifyChannel } from "#lib/platform/database/notify-listener";
import { announceChanges } from "#lib/server/notifications/index";
import { announceChange, markChange } from "#tests/support/announce-change";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";

let database: TestDatabase;
let other: Client;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.client.notification.deleteMany();
  other = new Client({ connectionString: database.url });
  await other.connect();
});
afterEach(() => other.end());

const topics = async () =>
  (await database.client.notification.findMany({ orderBy: { id: "asc" } })).map(({ topic }) => topic);
const waiting = () =>
  database.client.$queryRaw<object[]>`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`;

it("gives ids in the order of the commits: an announcement waits for one in progress, and a change is stored meanwhile", async () => {
  await other.query("BEGIN");
  await other.query("SELECT pg_advisory_xact_lock(hashtext('notifications'))");
  await other.query("INSERT INTO notifications (topic, created_at) VALUES ('vendors/first', now())");
  const announced = announceChange(database.client, "second");
  await expect.poll(async () => (await waiting()).length).toBe(1);
  await markChange(database.client, "third");
  expect(await topics()).toEqual([]);
  await other.query("COMMIT");
  await announced;
  expect(await topics()).toEqual(["vendors/first", "vendors/second"]);
  await announceChanges(database.client);
  expect(await topics()).toEqual(["vendors/first", "vendors/second", "vendors/third"]);
});

it("announces what another process has stored, once, whoever announces at the same time", async () => {
  const slugs = Array.from({ length: 20 }, (_, index) => `vendor-${index}`);
  for (const slug of slugs) await markChange(database.client, slug);
  const processes = [1, 2, 3].map(() => createDatabase(database.url));
  await Promise.all(processes.map(announceChanges));
  for (const each of processes) await each.$disconnect();
  expect((await topics()).sort()).toEqual(slugs.map((slug) => `vendors/${slug}`).sort());
  expect(await database.client.unannouncedChange.count()).toBe(0);
});

it("wakes listeners, but not without a change", async () => {
  let count = 0;
  other.on("notification", () => {
    count += 1;
  });
  await other.query(`LISTEN ${notifyChannel}`);
  await announceChanges(database.client);
  await other.query("SELECT 1");
  expect(count).toBe(0);
  await announceChange(database.client, "heard");
  await expect.poll(() => count).toBe(1);
});
