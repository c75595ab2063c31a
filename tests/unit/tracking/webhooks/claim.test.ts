import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { createDatabase } from "#lib/platform/database/index";
import { claimDeliveries } from "#lib/tracking/webhooks/sending/store";
import { nodesOf, type PlanNode } from "#tests/support/query-plans";
import { sharedDatabase } from "#tests/support/shared-database";

const now = new Date("2026-11-21T12:00:00.000Z");
const webhookCount = 20;
const duePerWebhook = 1_000;
const limit = 16;

const database = sharedDatabase();
beforeAll(async () => {
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
  const query = Client.prototype.query as (...args: unknown[]) => Promise<{ rows: Record<string, unknown>[] }>;
  const spy = vi.spyOn(Client.prototype, "query").mockImplementation(async function (this: Client, ...args: unknown[]) {
    const { text, values } = (args[0] ?? {}) as { text?: string; values?: unknown[] };
    if (!text?.trimStart().startsWith("WITH")) return query.apply(this, args);
    const explained = { text: `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`, values };
    const { rows } = await query.call(this, explained);
    const [{ "QUERY PLAN": plan } = {}] = rows;
    counts.push(deliveryRowsRead((plan as [{ Plan: PlanNode }])[0].Plan));
    // The explained claim has leased its deliveries, so running it again would find none.
    return text.includes("UPDATE webhook_deliveries") ? { rows: [] } : query.apply(this, args);
  } as never);
  // Connections keep the method that they were opened with.
  const explaining = createDatabase(database.url);
  try {
    await claimDeliveries(explaining, { leaseId: randomUUID(), now, limit, failingLimit: 8, promptIds: [] });
  } finally {
    spy.mockRestore();
    await explaining.$disconnect();
  }
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

  const claim = () =>
    claimDeliveries(database.client, { leaseId: randomUUID(), now, limit, failingLimit: 8, promptIds: [] });
  const release = () =>
    database.client.$executeRaw`
      UPDATE webhook_deliveries SET lease_id = NULL, lease_until = NULL, next_attempt_at = ${now}
      WHERE lease_id IS NOT NULL`;

  it("gives a webhook with a new delivery its turn before webhooks with a backlog", async () => {
    await release();
    await database.client.webhook.updateMany({ data: { claimedAt: new Date(now.getTime() - 60_000) } });
    const [first, ...others] = await database.client.webhook.findMany({ select: { id: true }, orderBy: { id: "asc" } });
    const id = first?.id ?? "";
    await database.client.webhook.update({ where: { id }, data: { claimedAt: new Date(now.getTime() - 61_000) } });
    // Its only due delivery is newer than all of the others' backlog.
    const due = await database.client.webhookDelivery.findFirstOrThrow({ where: { webhookId: id } });
    await database.client.webhookDelivery.updateMany({ where: { webhookId: id }, data: { status: "delivered" } });
    await database.client.webhookDelivery.update({
      where: { id: due.id },
      data: { status: "pending", nextAttemptAt: now, leaseId: null, leaseUntil: null },
    });
    expect(others.length).toBeGreaterThan(limit);
    expect((await claim()).map(({ webhookId }) => webhookId)).toContain(id);
  });
});
