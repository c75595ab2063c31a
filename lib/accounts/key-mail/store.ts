import type { Database, Transaction } from "#lib/platform/database/index";

type Link = { mailboxHash: string; olderHashes: string[]; tokenHash: string; expiresAt: Date };

/** Stores the link of a mailbox in place of an earlier one. */
export async function putLink(client: Database, { mailboxHash, ...link }: Link): Promise<void> {
  await client.keyLink.upsert({
    where: { mailboxHash },
    create: { mailboxHash, ...link },
    update: link,
    select: { mailboxHash: true },
  });
}

/** Returns a link that is valid at a time; null if there is none. */
export async function findLink(client: Database, tokenHash: string, now: Date): Promise<Link | null> {
  return client.keyLink.findFirst({ where: { tokenHash, expiresAt: { gt: now } } });
}

/** Deletes a link and returns it; null if it is not valid at a time. Of two concurrent calls, one gets it. */
export async function takeLink(transaction: Transaction, tokenHash: string, now: Date): Promise<Link | null> {
  const [link] = await transaction.$queryRaw<Link[]>`
    DELETE FROM key_links WHERE token_hash = ${tokenHash} AND expires_at > ${now}
    RETURNING mailbox_hash AS "mailboxHash", older_hashes AS "olderHashes", token_hash AS "tokenHash",
      expires_at AS "expiresAt"`;
  return link ?? null;
}

/** Deletes a link whose mail could not be sent. */
export async function dropLink(client: Database, tokenHash: string): Promise<void> {
  await client.keyLink.deleteMany({ where: { tokenHash } });
}

/** Deletes expired links, at most `limit`; returns how many. */
export async function pruneKeyLinks(client: Database, { now, limit }: { now: Date; limit: number }): Promise<number> {
  return client.$executeRaw`
    DELETE FROM key_links WHERE token_hash IN (SELECT token_hash FROM key_links WHERE expires_at <= ${now} LIMIT ${limit})`;
}

/** Most accounts of a mailbox that a page lists. Each but the first was bought. */
const maxAccountCount = 20;

const accountColumns = {
  id: true,
  tier: true,
  createdAt: true,
  keys: { select: { limitId: true, lastFour: true }, orderBy: { id: "desc" }, take: 1 },
} as const;

/** Returns the accounts of a mailbox with their latest key, the highest tier first. */
export async function findAccounts(
  client: Database | Transaction,
  { mailboxHash, olderHashes }: Pick<Link, "mailboxHash" | "olderHashes">,
) {
  return client.account.findMany({
    where: { mailboxHash: { in: [mailboxHash, ...olderHashes] } },
    select: accountColumns,
    orderBy: [{ tier: "desc" }, { id: "desc" }],
    take: maxAccountCount,
  });
}

export type MailboxAccount = Awaited<ReturnType<typeof findAccounts>>[number];

/** Stores the hash of a mailbox with an account. */
export async function setMailbox(transaction: Transaction, id: string, mailboxHash: string): Promise<void> {
  await transaction.account.update({ where: { id }, data: { mailboxHash }, select: { id: true } });
}

/** Stores an account of the free tier. */
export async function insertFreeAccount(transaction: Transaction, id: string, mailboxHash: string): Promise<void> {
  await transaction.account.create({ data: { id, label: null, tier: "free", mailboxHash }, select: { id: true } });
}

/**
 * Revokes all keys of an account. A rotation that had locked a key before this statement got to it has added another one,
 * so that the statement is repeated until it finds none. It includes keys that are over: the rotated one is.
 */
export async function revokeKeys(transaction: Transaction, accountId: string, revokedAt: Date): Promise<void> {
  let count: number;
  do {
    ({ count } = await transaction.apiKey.updateMany({ where: { accountId, revokedAt: null }, data: { revokedAt } }));
  } while (count > 0);
}
