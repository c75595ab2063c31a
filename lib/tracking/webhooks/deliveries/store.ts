import type { Database } from "#lib/platform/database/index";
import { maxShownAttemptCount } from "./schemas";

const columns = {
  id: true,
  status: true,
  attemptCount: true,
  nextAttemptAt: true,
  leaseUntil: true,
  createdAt: true,
  finishedAt: true,
  event: {
    select: {
      id: true,
      type: true,
      isTest: true,
      report: { select: { vendor: { select: { name: true, slug: true } } } },
    },
  },
  attempts: {
    select: { id: true, createdAt: true, httpStatus: true, error: true, responseExcerpt: true, durationMs: true },
    orderBy: { id: "desc" },
    take: maxShownAttemptCount,
  },
} as const;

/** Returns a webhook's deliveries, newest first; with `before`, only those with a smaller id. */
export async function findDeliveries(
  client: Database,
  { webhookId, before, limit }: { webhookId: string; before: string | undefined; limit: number },
) {
  const where = { webhookId, ...(before !== undefined && { id: { lt: before } }) };
  return client.webhookDelivery.findMany({ where, select: columns, orderBy: { id: "desc" }, take: limit });
}

/** Returns a delivery of a webhook; null if there is none. */
export async function findDelivery(client: Database, { id, webhookId }: { id: string; webhookId: string }) {
  return client.webhookDelivery.findFirst({ where: { id, webhookId }, select: columns });
}

export type ListedDelivery = NonNullable<Awaited<ReturnType<typeof findDelivery>>>;
