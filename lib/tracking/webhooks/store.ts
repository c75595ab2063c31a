import type { Database } from "#lib/platform/database/index";

/** A webhook as its owner sees it. */
export type StoredWebhook = {
  id: string;
  url: string;
  events: string[];
  active: boolean;
  failingSince: Date | null;
  deactivatedAt: Date | null;
  deactivatedReason: string | null;
  createdAt: Date;
  updatedAt: Date;
};

/** Whose a webhook is: an account's, and within it one key's, through all its rotations. */
export type WebhookOwner = { accountId: string; limitId: string };

const columns = {
  ...{ id: true, url: true, events: true, active: true, failingSince: true },
  ...{ deactivatedAt: true, deactivatedReason: true, createdAt: true, updatedAt: true },
} as const;

type NewWebhook = { id: string; url: string; events: string[]; secret: string; at: Date };

/** Stores a webhook; null where its owner has `maxActiveCount` active ones. Those who ask at once wait for each other. */
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
    return transaction.webhook.create({ data, select: columns });
  });
}

/** The webhooks of an owner, the newest first. */
export async function findWebhooks(
  client: Database,
  { limitId }: WebhookOwner,
  { active, limit }: { active: boolean; limit: number },
): Promise<StoredWebhook[]> {
  return client.webhook.findMany({ where: { limitId, active }, select: columns, orderBy: { id: "desc" }, take: limit });
}

/** A webhook of an owner, active or not. */
export async function findWebhook(
  client: Database,
  { limitId }: WebhookOwner,
  id: string,
): Promise<(StoredWebhook & { secret: string }) | null> {
  return client.webhook.findFirst({ where: { id, limitId }, select: { ...columns, secret: true } });
}

/** Ends an active webhook of an owner; false where there is none. What is on its way is cancelled apart. */
export async function deactivateOwned(
  client: Database,
  { limitId }: WebhookOwner,
  id: string,
  { at, reason }: { at: Date; reason: string },
): Promise<boolean> {
  const data = { active: false, deactivatedAt: at, deactivatedReason: reason, updatedAt: at };
  const { count } = await client.webhook.updateMany({ where: { id, limitId, active: true }, data });
  return count === 1;
}

type SecretChange = { from: string; to: string; previousUntil: Date; at: Date };

/** Puts a secret in the place of the one that is there; false where that changed meanwhile, or the webhook ended. */
export async function replaceSecret(
  client: Database,
  id: string,
  { from, to, previousUntil, at }: SecretChange,
): Promise<boolean> {
  const data = { secret: to, previousSecret: from, previousSecretUntil: previousUntil, updatedAt: at };
  const { count } = await client.webhook.updateMany({ where: { id, secret: from, active: true }, data });
  return count === 1;
}

export type SealedSecrets = { id: string; secret: string; previousSecret: string | null };

/** Webhooks after an id whose secrets do not begin with a prefix, in the order of their ids. */
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

/** Writes secrets that were encrypted anew, unless a rotation came between. */
export async function replaceSealed(client: Database, old: SealedSecrets, sealed: SealedSecrets): Promise<boolean> {
  const { secret, previousSecret } = sealed;
  const { count } = await client.webhook.updateMany({ where: old, data: { secret, previousSecret } });
  return count === 1;
}
