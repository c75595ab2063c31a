import { afterAll, expect, test } from "vitest";
import { log } from "#lib/platform/log";
import { type Tail, tailNotifications } from "#lib/server/notifications/index";
import { announceChange } from "#tests/support/announce-change";
import { sharedDatabase } from "#tests/support/shared-database";

const database = sharedDatabase();
const tails: Tail[] = [];
afterAll(() => {
  for (const { stop } of tails) stop();
});

function follow(): { tail: Tail; topics: string[] } {
  const topics: string[] = [];
  const tail = tailNotifications({ database: database.client, log: log(), onTopic: (topic) => topics.push(topic) });
  tails.push(tail);
  return { tail, topics };
}

const announce = (slug: string) => announceChange(database.client, slug);

test("a log whose first read fails is not reported as followed, because entries would be missed", async () => {
  await database.client.$executeRaw`ALTER TABLE notifications RENAME TO unreadable`;
  const { tail, topics } = follow();
  await expect(tail.ready).rejects.toThrow();
  await database.client.$executeRaw`ALTER TABLE unreadable RENAME TO notifications`;

  const again = follow();
  await again.tail.ready;
  await announce("stripe");
  await expect.poll(() => again.topics).toEqual(["vendors/stripe"]);
  expect(topics).toEqual([]);
});

test("a read that fails later misses nothing", async () => {
  const { tail, topics } = follow();
  await tail.ready;
  await announce("before");
  await expect.poll(() => topics).toEqual(["vendors/before"]);
  await database.client.$executeRaw`ALTER TABLE notifications RENAME TO unreadable`;
  await database.client.$executeRaw`INSERT INTO unreadable (topic, created_at) VALUES ('vendors/meanwhile', now())`;
  await database.client.$executeRaw`ALTER TABLE unreadable RENAME TO notifications`;
  await announce("after");
  await expect.poll(() => topics).toEqual(["vendors/before", "vendors/meanwhile", "vendors/after"]);
});
