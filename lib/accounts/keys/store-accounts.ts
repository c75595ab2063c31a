import type { Database, Transaction } from "#lib/platform/database/index";
import { worksAt } from "./store";

const subscription = {
  select: {
    id: true,
    customerId: true,
    tier: true,
    status: true,
    cancelAtPeriodEnd: true,
    currentPeriodEnd: true,
    graceUntil: true,
    createdAt: true,
  },
} as const;

/** Returns accounts with their subscriptions and the number of their keys that work, newest first. */
export async function findAccounts(client: Database, { now, limit }: { now: Date; limit: number }) {
  return client.account.findMany({
    select: {
      id: true,
      label: true,
      tier: true,
      createdAt: true,
      subscription,
      _count: { select: { keys: { where: worksAt(now) } } },
    },
    orderBy: { id: "desc" },
    take: limit,
  });
}

/** Most rows of a table in an export. */
const maxExportCount = 1_000;
const newest = { orderBy: { id: "desc" }, take: maxExportCount } as const;

/** Returns what is stored of an account, without hashes and secrets; null if there is none. A digest's contact is encrypted. */
export async function findStoredAccount(client: Database, id: string) {
  return client.account.findUnique({
    where: { id },
    select: {
      id: true,
      label: true,
      tier: true,
      mailboxHash: true,
      createdAt: true,
      updatedAt: true,
      keys: { ...newest, omit: { hash: true, accountId: true } },
      subscription,
      purchases: {
        ...newest,
        select: { id: true, sessionId: true, tier: true, createdAt: true, fulfilledAt: true, revealedAt: true },
      },
      vendors: {
        ...newest,
        select: {
          id: true,
          slug: true,
          name: true,
          category: true,
          llmsTxtUrl: true,
          status: true,
          createdAt: true,
          _count: { select: { snapshots: true } },
        },
      },
      webhooks: {
        ...newest,
        omit: { accountId: true, secret: true, previousSecret: true },
        include: { _count: { select: { deliveries: true } } },
      },
      digests: {
        ...newest,
        omit: { accountId: true, addressHash: true, confirmHash: true, unsubscribeHash: true },
        include: { _count: { select: { mails: true } } },
      },
    },
  });
}

export async function findSubscriptionOf(transaction: Transaction, accountId: string) {
  return transaction.subscription.findUnique({ where: { accountId } });
}

/** Locks an account until the transaction ends; returns whether it exists. */
export async function lockAccount(transaction: Transaction, id: string): Promise<boolean> {
  const rows = await transaction.$queryRaw<unknown[]>`SELECT id FROM accounts WHERE id = ${id}::uuid FOR UPDATE`;
  return rows.length > 0;
}

/** Deletes an account with all that is stored of it; returns the number of rows by what they are. */
export async function deleteAccountRows(transaction: Transaction, accountId: string) {
  const where = { accountId };
  const { mailboxHash } = await transaction.account.findUniqueOrThrow({ where: { id: accountId } });
  const keys = await transaction.apiKey.findMany({ where, select: { limitId: true } });
  const limitIds = [...new Set(keys.map(({ limitId }) => limitId))];
  const vendors = await transaction.vendor.findMany({ where, select: { slug: true } });
  const slugs = vendors.map(({ slug }) => slug);
  // What was sent to this account alone, such as reports on vendors of its own.
  const events = await transaction.$executeRaw`
    DELETE FROM webhook_events e
    WHERE e.id IN (
        SELECT d.event_id FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
        WHERE w.account_id = ${accountId}::uuid)
      AND NOT EXISTS (
        SELECT 1 FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
        WHERE d.event_id = e.id AND w.account_id <> ${accountId}::uuid)`;
  const counts = await transaction.$executeRaw`
    DELETE FROM limit_windows
    WHERE subject = ANY(${limitIds.map((id) => `key:${id}`)}) OR subject LIKE ${`%account:${accountId}`}`;
  const topics = slugs.map((slug) => `vendors/${slug}`);
  await transaction.notification.deleteMany({ where: { topic: { in: topics } } });
  await transaction.unannouncedChange.deleteMany({ where: { slug: { in: slugs } } });
  const sessions = await transaction.mcpSession.deleteMany({ where: { limitId: { in: limitIds } } });
  const links = await transaction.keyLink.deleteMany({ where: { mailboxHash: mailboxHash ?? "" } });
  const deleted = {
    vendors: (await transaction.vendor.deleteMany({ where })).count,
    webhooks: (await transaction.webhook.deleteMany({ where })).count,
    webhookEvents: events,
    digests: (await transaction.digest.deleteMany({ where })).count,
    keys: (await transaction.apiKey.deleteMany({ where })).count,
    purchases: (await transaction.checkout.deleteMany({ where: { OR: [where, { buyerId: accountId }] } })).count,
    subscriptions: (await transaction.subscription.deleteMany({ where })).count,
    requestCounts: counts,
    sessions: sessions.count,
    links: links.count,
  };
  await transaction.account.delete({ where: { id: accountId }, select: { id: true } });
  return deleted;
}
