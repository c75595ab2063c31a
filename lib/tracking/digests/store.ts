import type { Database, Transaction } from "#lib/platform/database/index";
import { matchesSubjects, type StoredFilters } from "#lib/tracking/change-filters/index";
import { type Digest, Prisma } from "#prisma/generated/client";

/**
 * Returns the part of a statement that adds a report to the active digests whose filters it matches: for a vendor of an
 * account, those of that account only. The statement needs a part `report` with the columns of a new report. The tier is
 * checked when the mail is written. The lock lets the deletion of a digest wait, which would otherwise make the report fail.
 */
export function digestItemsPart(at: Date): Prisma.Sql {
  return Prisma.sql`digest_items_of_report AS (
    INSERT INTO digest_items (digest_id, report_id, created_at)
    SELECT digests.id, report.id, ${at} FROM report JOIN vendors ON vendors.id = report.vendor_id CROSS JOIN digests
    WHERE digests.status = 'active' AND (vendors.account_id IS NULL OR vendors.account_id = digests.account_id)
      AND (cardinality(digests.filter_vendors) = 0 OR vendors.slug = ANY(digests.filter_vendors))
      AND ${matchesSubjects("digests", Prisma.sql`report.diff_id`)}
      AND (cardinality(digests.filter_categories) = 0 OR digests.filter_categories && report.categories)
      AND (digests.min_significance IS NULL OR digests.min_significance <= report.significance)
    FOR KEY SHARE OF digests)`;
}

/** A change in a digest that is not sent yet. */
type WaitingItem = { digestId: string; mailId: string | null; createdAt: Date };

/** Returns the places of a change in digests, before its report is replaced. */
export async function findWaitingItems(transaction: Transaction, diffId: string): Promise<WaitingItem[]> {
  const select = { digestId: true, mailId: true, createdAt: true } as const;
  return transaction.digestItem.findMany({ where: { report: { diffId } }, select });
}

/** Puts the new report of a change in the places of the old one. */
export async function replaceItems(
  transaction: Transaction,
  reportId: string,
  items: readonly WaitingItem[],
): Promise<void> {
  if (items.length > 0) await transaction.digestItem.createMany({ data: items.map((item) => ({ ...item, reportId })) });
}

type NewDigest = StoredFilters &
  Pick<Digest, "id" | "contact" | "frequency" | "unsubscribeHash" | "nextDueAt"> & {
    confirmHash: string;
    confirmUntil: Date;
    at: Date;
  };

type Insertion = { inserted: Digest } | { existing: Digest } | "full";

/**
 * Stores a pending digest, unless one of its account has the same address or there are `maxCount`. A lock on the account
 * serializes callers.
 */
export async function insertDigest(
  client: Database,
  { at, ...digest }: NewDigest & { accountId: string },
  { maxCount, hasSameAddress }: { maxCount: number; hasSameAddress: (stored: Digest) => boolean },
): Promise<Insertion> {
  return client.$transaction(async (transaction) => {
    await transaction.$queryRaw`SELECT id FROM accounts WHERE id = ${digest.accountId}::uuid FOR NO KEY UPDATE`;
    const stored = await transaction.digest.findMany({ where: { accountId: digest.accountId } });
    const existing = stored.find(hasSameAddress);
    if (existing) return { existing };
    if (stored.length >= maxCount) return "full";
    return { inserted: await transaction.digest.create({ data: { ...digest, createdAt: at, updatedAt: at } }) };
  });
}

/** Stores a pending digest of an address without an account. */
export async function insertList(
  client: Database,
  { at, ...digest }: NewDigest & { addressHash: string },
): Promise<Digest> {
  return client.digest.create({ data: { ...digest, createdAt: at, updatedAt: at } });
}

/** Returns the active digest of an address without an account. Locks all of the address until the transaction ends. */
export async function lockList(transaction: Transaction, addressHashes: readonly string[]): Promise<Digest | null> {
  await transaction.$queryRaw`SELECT id FROM digests WHERE address_hash = ANY(${addressHashes}) ORDER BY id FOR UPDATE`;
  return transaction.digest.findFirst({ where: { addressHash: { in: [...addressHashes] }, status: "active" } });
}

type ListChange = Pick<Digest, "filterVendors" | "addressHash" | "confirmHash"> &
  Partial<Pick<Digest, "frequency" | "nextDueAt">> & { at: Date };

/** Changes a digest without an account that is locked. */
export async function updateList(transaction: Transaction, id: string, { at, ...change }: ListChange): Promise<Digest> {
  return transaction.digest.update({ where: { id }, data: { ...change, updatedAt: at } });
}

/**
 * Takes vendors off the list that the token of an unsubscription is for; false if there is no active one without an account, or
 * none of its vendors would stay.
 */
export async function removeFromList(
  client: Database,
  { unsubscribeHash, slugs, at }: { unsubscribeHash: string; slugs: readonly string[]; at: Date },
): Promise<boolean> {
  const count = await client.$executeRaw`
    UPDATE digests SET updated_at = ${at}, filter_vendors = ARRAY(
      SELECT slug FROM unnest(filter_vendors) WITH ORDINALITY AS vendor (slug, place)
      WHERE slug <> ALL(${slugs}) ORDER BY place)
    WHERE unsubscribe_hash = ${unsubscribeHash} AND account_id IS NULL AND status = 'active'
      AND NOT filter_vendors <@ ${slugs}::text[]`;
  return count === 1;
}

export type NamedVendor = { slug: string; name: string };

/** Returns vendors with their names, in order; one that no longer exists is named by its slug. */
export async function findVendorNames(client: Database, slugs: readonly string[]): Promise<NamedVendor[]> {
  const found = await client.vendor.findMany({
    where: { slug: { in: [...slugs] } },
    select: { slug: true, name: true },
  });
  const names = new Map(found.map(({ slug, name }) => [slug, name]));
  return slugs.map((slug) => ({ slug, name: names.get(slug) ?? slug }));
}

export type Confirmation = { id: string; confirmHash: string; at: Date; nextDueAt: Date };

/** Deletes a pending digest whose token is valid; false if there is none. */
export async function deletePending(transaction: Transaction, { id, confirmHash, at }: Confirmation): Promise<boolean> {
  const where = { id, confirmHash, status: "pending" as const, confirmUntil: { gt: at } };
  return (await transaction.digest.deleteMany({ where })).count === 1;
}

/** Returns the digests of an account, newest first. */
export async function findDigests(client: Database, accountId: string, limit: number): Promise<Digest[]> {
  return client.digest.findMany({ where: { accountId }, orderBy: { id: "desc" }, take: limit });
}

export async function findDigest(client: Database, accountId: string, id: string): Promise<Digest | null> {
  return client.digest.findFirst({ where: { id, accountId } });
}

type DigestChange = Partial<StoredFilters & Pick<Digest, "frequency" | "nextDueAt">> & { at: Date };

/** Changes a digest of an account that is not disabled; null if there is none. */
export async function updateDigest(
  client: Database,
  { accountId, id }: { accountId: string; id: string },
  { at, ...change }: DigestChange,
): Promise<Digest | null> {
  const where = { id, accountId, status: { not: "disabled" as const } };
  const data = { ...change, updatedAt: at };
  const [changed] = await client.digest.updateManyAndReturn({ where, data });
  return changed ?? null;
}

/** Deletes a digest of an account, or one without, with its address; false if there is none. */
export async function deleteOwned(client: Database, accountId: string | null, id: string): Promise<boolean> {
  return (await client.digest.deleteMany({ where: { id, accountId } })).count === 1;
}

/** Returns the digest that a confirmation's token is for: active, or pending and valid at a time; null if there is none. */
export async function findByConfirmHash(client: Database, confirmHash: string, now: Date) {
  const states = [{ status: "active" as const }, { status: "pending" as const, confirmUntil: { gt: now } }];
  return client.digest.findFirst({ where: { confirmHash, OR: states } });
}

/** Confirms a pending digest, once; false if its token is no longer valid. */
export async function confirmPending(
  client: Database | Transaction,
  { id, confirmHash, at, nextDueAt }: Confirmation,
): Promise<boolean> {
  const data = { status: "active" as const, confirmUntil: null, confirmedAt: at };
  const { count } = await client.digest.updateMany({
    where: { id, confirmHash, status: "pending", confirmUntil: { gt: at } },
    data: { ...data, nextDueAt, updatedAt: at },
  });
  return count === 1;
}

/** Returns the digest that the token of an unsubscription is for. */
export async function findByUnsubscribeHash(client: Database, unsubscribeHash: string): Promise<Digest | null> {
  return client.digest.findUnique({ where: { unsubscribeHash } });
}

/** Deletes the digest that the token of an unsubscription is for; false if there is none. */
export async function deleteByUnsubscribeHash(client: Database, unsubscribeHash: string): Promise<boolean> {
  return (await client.digest.deleteMany({ where: { unsubscribeHash } })).count === 1;
}

type StoredContact = { id: string; contact: string; addressHash: string | null };

/** Returns digests whose contact does not start with a prefix, ordered by id, after an id. */
export async function findContactsWithout(
  client: Database,
  { prefix, after, limit }: { prefix: string; after: string; limit: number },
): Promise<StoredContact[]> {
  return client.digest.findMany({
    where: { id: { gt: after }, contact: { not: { startsWith: prefix } } },
    select: { id: true, contact: true, addressHash: true },
    orderBy: { id: "asc" },
    take: limit,
  });
}

/** Replaces an encrypted contact; false if it has changed or is deleted. */
export async function replaceContact(
  client: Database,
  old: StoredContact,
  { contact, addressHash }: StoredContact,
): Promise<boolean> {
  return (await client.digest.updateMany({ where: old, data: { contact, addressHash } })).count === 1;
}

type Prune = {
  now: Date;
  /** Digests that were disabled, mails that finished and changes that were reported before this time. */
  before: { disabled: Date; mails: Date; items: Date };
  limit: number;
};

/**
 * Deletes digests that were not confirmed in time or were disabled long ago, finished mails, and changes that no mail took.
 * Returns how many rows; at most `limit` of each kind.
 */
export async function pruneDigests(client: Database, { now, before, limit }: Prune): Promise<number> {
  const digests = await client.$executeRaw`
    DELETE FROM digests WHERE id IN (
      SELECT id FROM digests WHERE (status = 'pending' AND confirm_until <= ${now})
        OR (status = 'disabled' AND disabled_at < ${before.disabled}) LIMIT ${limit})`;
  const mails = await client.$executeRaw`
    DELETE FROM digest_mails WHERE id IN (SELECT id FROM digest_mails WHERE finished_at < ${before.mails} LIMIT ${limit})`;
  const items = await client.$executeRaw`
    DELETE FROM digest_items WHERE (digest_id, report_id) IN (
      SELECT digest_id, report_id FROM digest_items WHERE mail_id IS NULL AND created_at < ${before.items} LIMIT ${limit})`;
  return digests + mails + items;
}
