import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "#lib/platform/database/index";
import { claimDeliveries } from "#lib/tracking/webhooks/sending/store";
import { Prisma } from "#prisma/generated/client";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";

type PlanNode = {
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: PlanNode[];
};

const now = new Date("2026-11-21T12:00:00.000Z");
const webhookCount = 20;
const duePerWebhook = 1_000;
const limit = 16;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  const accountId = randomUUID();
  await database.client.account.create({ data: { id: accountId, tier: "pro" } });
  await database.client.$executeRaw`
    INSERT INTO webhooks (id, account_id, limit_id, url, events, secret, created_at, updated_at)
    SELECT gen_random_uuid(), ${accountId}::uuid, gen_random_uuid(), 'https://receiver.example/', '{}', 'secret', ${now}, ${now}
    FROM generate_series(1, ${webhookCount}::int)`;
  await database.client.$executeRaw`
    INSERT INTO webhook_events (id, type, body, created_at)
    SELECT gen_random_uuid(), 'intelligence.high_significance', '{}', ${now} FROM generate_series(1, ${duePerWebhook}::int)`;
  await database.client.$executeRaw`
    INSERT INTO webhook_deliveries (id, webhook_id, event_id, next_attempt_at, created_at)
    SELECT gen_random_uuid(), w.id, e.id, ${now}::timestamptz - random() * interval '1 hour', ${now}
    FROM webhooks w CROSS JOIN webhook_events e`;
});
afterAll(() => database.drop());

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

function deliveryRowsRead(plan: PlanNode): number {
  return nodesOf(plan)
    .filter((node) => node["Relation Name"] === "webhook_deliveries")
    .reduce(
      (sum, node) => sum + (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"],
      0,
    );
}

/** Runs a claim and returns the number of rows of deliveries that each of its statements read. */
async function rowsReadByClaim(): Promise<number[]> {
  const counts: number[] = [];
  const explaining = new Proxy(database.client, {
    get(target, name) {
      if (name !== "$transaction") return Reflect.get(target, name);
      return (run: (transaction: unknown) => Promise<unknown>) =>
        target.$transaction((transaction) =>
          run({
            $queryRaw: async (strings: TemplateStringsArray, ...values: unknown[]) => {
              const query = new Prisma.Sql([...strings], values as Prisma.Sql[]);
              const [row] = await transaction.$queryRaw<[{ "QUERY PLAN": [{ Plan: PlanNode }] }]>(
                Prisma.sql`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${query}`,
              );
              counts.push(deliveryRowsRead(row["QUERY PLAN"][0].Plan));
              // The explained claim has leased its deliveries, so running it again would find none.
              return query.sql.includes("UPDATE webhook_deliveries") ? [] : transaction.$queryRaw(query);
            },
          }),
        );
    },
  }) as Database;
  await claimDeliveries(explaining, { leaseId: randomUUID(), now, limit, failingLimit: 8 });
  return counts;
}

describe(`a claim from ${webhookCount * duePerWebhook} due deliveries`, () => {
  it.each([
    ["without statistics of the table", "DELETE FROM pg_statistic WHERE starelid = 'webhook_deliveries'::regclass"],
    ["with statistics", "ANALYZE webhook_deliveries"],
  ])("reads a bounded number of rows, %s", async (_name, statement) => {
    await database.client.$executeRawUnsafe(statement);
    const counts = await rowsReadByClaim();
    expect(counts).toHaveLength(2);
    // One row per webhook, and those of the free attempts.
    for (const count of counts) expect(count).toBeLessThanOrEqual(webhookCount + 10 * limit);
  });

  it("takes the longest waiting deliveries, at most four per webhook", async () => {
    await database.client.$executeRaw`UPDATE webhook_deliveries SET lease_id = NULL, lease_until = NULL`;
    const claimed = await claimDeliveries(database.client, { leaseId: randomUUID(), now, limit, failingLimit: 8 });
    expect(claimed).toHaveLength(limit);
    const perWebhook = new Map<string, number>();
    for (const { webhookId } of claimed) perWebhook.set(webhookId, (perWebhook.get(webhookId) ?? 0) + 1);
    expect(Math.max(...perWebhook.values())).toBeLessThanOrEqual(4);
  });
});
