import type { Database } from "#lib/platform/database/index";
import type { StoredFilters } from "#lib/tracking/change-filters/index";
import type { Webhook } from "#prisma/generated/client";
import { maxShownAttemptCount } from "./deliveries/schemas";

const shown = {
  event: {
    select: {
      id: true,
      type: true,
      isTest: true,
      report: { select: { vendor: { select: { name: true, slug: true } } } },
    },
  },
  attempts: { orderBy: { id: "desc" }, take: maxShownAttemptCount },
} as const;

/** Returns a webhook's deliveries, newest first; with `before`, only those with a smaller id. */
export async function findDeliveries(
  client: Database,
  { webhookId, before, limit }: { webhookId: string; before: string | undefined; limit: number },
) {
  const where = { webhookId, ...(before !== undefined && { id: { lt: before } }) };
  return client.webhookDelivery.findMany({ where, include: shown, orderBy: { id: "desc" }, take: limit });
}

/** Returns a delivery of a webhook; null if there is none. */
export async function findDelivery(client: Database, { id, webhookId }: { id: string; webhookId: string }) {
  return client.webhookDelivery.findFirst({ where: { id, webhookId }, include: shown });
}

export type ListedDelivery = NonNullable<Awaited<ReturnType<typeof findDelivery>>>;

/** Owner of a webhook: a key of an account, identified across its rotations by `limitId`. */
export type WebhookOwner = { accountId: string; limitId: string };

const secrets = { secret: true, previousSecret: true } as const;

/** A webhook without its secrets. */
export type StoredWebhook = Omit<Webhook, keyof typeof secrets>;

type NewWebhook = StoredFilters & Pick<Webhook, "id" | "url" | "events" | "format" | "secret"> & { at: Date };

/** Stores a webhook; null if its owner has `maxActiveCount` active ones. A lock on the account serializes callers. */
export async function insertWebhook(
  client: Database,
  { accountId, limitId }: WebhookOwner,
  { at, ...webhook }: NewWebhook,
  maxActiveCount: number,
): Promise<StoredWebhook | null> {
  return client.$transaction(async (transaction) => {
    await transaction.$queryRaw`SELECT id FROM accounts WHERE id = ${accountId}::uuid FOR NO KEY UPDATE`;
    const activeCount = await transaction.webhook.count({ where: { limitId, active: true } });
    if (activeCount >= maxActiveCount) return null;
    const data = { ...webhook, accountId, limitId, createdAt: at, updatedAt: at };
    return transaction.webhook.create({ data, omit: secrets });
  });
}

/** Returns the webhooks of an owner, newest first. */
export async function findWebhooks(
  client: Database,
  { limitId }: WebhookOwner,
  { active, limit }: { active: boolean; limit: number },
): Promise<StoredWebhook[]> {
  return client.webhook.findMany({ where: { limitId, active }, omit: secrets, orderBy: { id: "desc" }, take: limit });
}

/** Returns a webhook of an owner, active or not. */
export async function findWebhook(client: Database, { limitId }: WebhookOwner, id: string): Promise<Webhook | null> {
  return client.webhook.findFirst({ where: { id, limitId } });
}

/**
 * Deactivates an active webhook, with `limitId` only if it is of that owner, and with `failingSince` if no attempt has succeeded
 * since; false if there is none. Does not cancel its pending deliveries.
 */
export async function deactivateWebhook(
  client: Database,
  webhook: { id: string; limitId?: string; failingSince?: Date },
  { at, reason }: { at: Date; reason: string },
): Promise<boolean> {
  const data = { active: false, deactivatedAt: at, deactivatedReason: reason, updatedAt: at };
  const { count } = await client.webhook.updateMany({ where: { ...webhook, active: true }, data });
  return count === 1;
}

/** Replaces the filters of an active webhook of an owner; null if there is none. */
export async function replaceFilters(
  client: Database,
  { limitId }: WebhookOwner,
  id: string,
  { at, ...filters }: StoredFilters & { at: Date },
): Promise<StoredWebhook | null> {
  const data = { ...filters, updatedAt: at };
  const [changed] = await client.webhook.updateManyAndReturn({
    where: { id, limitId, active: true },
    data,
    omit: secrets,
  });
  return changed ?? null;
}

/** Deletes all webhooks of an account with their deliveries; returns how many. */
export async function deleteWebhooksOf(client: Database, { accountId }: WebhookOwner): Promise<number> {
  return (await client.webhook.deleteMany({ where: { accountId } })).count;
}

type SecretChange = { from: string; to: string; previous: string; previousUntil: Date; at: Date };

/** Replaces the secret `from`; false if the secret has changed or the webhook is deactivated. */
export async function replaceSecret(
  client: Database,
  id: string,
  { from, to, previous, previousUntil, at }: SecretChange,
): Promise<boolean> {
  const data = { secret: to, previousSecret: previous, previousSecretUntil: previousUntil, updatedAt: at };
  const { count } = await client.webhook.updateMany({ where: { id, secret: from, active: true }, data });
  return count === 1;
}

export type SealedSecrets = { id: string; secret: string; previousSecret: string | null };

/** Returns webhooks with a secret that does not start with a prefix, ordered by id, after an id. */
export async function findSecretsWithout(
  client: Database,
  { prefix, after, limit }: { prefix: string; after: string; limit: number },
): Promise<SealedSecrets[]> {
  const isOther = { not: { startsWith: prefix } };
  return client.webhook.findMany({
    where: { id: { gt: after }, OR: [{ secret: isOther }, { previousSecret: isOther }] },
    select: { id: true, secret: true, previousSecret: true },
    orderBy: { id: "asc" },
    take: limit,
  });
}

/** Replaces encrypted secrets; false if a rotation has changed them. */
export async function replaceSealed(client: Database, old: SealedSecrets, sealed: SealedSecrets): Promise<boolean> {
  const { secret, previousSecret } = sealed;
  const { count } = await client.webhook.updateMany({ where: old, data: { secret, previousSecret } });
  return count === 1;
}
