import { type AccountTier, accountTiers, plans } from "#lib/accounts/plans/index";
import { findChangesIn, summarizeChanges } from "#lib/models/index";
import type { Database } from "#lib/platform/database/index";
import { findOperationsIn, summarizeOperations } from "#lib/tracking/operations/index";
import { isShownToEveryone } from "#lib/tracking/vendor-access/index";
import type { MailChange } from "../mails/digest";
import type { DigestFrequency } from "../schemas";

type Create = {
  frequency: DigestFrequency;
  now: Date;
  /** When the mail after this one is due. */
  nextDueAt: Date;
  /** Most mails to create. */
  limit: number;
};

/**
 * Creates the mails of the digests that are due and have changes, each with all of its waiting changes, in one statement. A
 * digest has one unfinished mail at a time. Leaves out accounts without a valid key. Returns how many were created.
 */
export async function createMails(client: Database, { frequency, now, nextDueAt, limit }: Create): Promise<number> {
  const [row] = await client.$queryRaw<[{ count: number }]>`
    WITH due AS (
      SELECT id FROM digests
      WHERE status = 'active' AND frequency = ${frequency}::digest_frequency AND next_due_at <= ${now}
        AND EXISTS (SELECT 1 FROM digest_items WHERE digest_id = digests.id AND mail_id IS NULL)
        AND NOT EXISTS (SELECT 1 FROM digest_mails WHERE digest_id = digests.id AND status = 'pending')
        AND (account_id IS NULL OR EXISTS (SELECT 1 FROM api_keys WHERE api_keys.account_id = digests.account_id
          AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})))
      ORDER BY next_due_at, id LIMIT ${limit}::int FOR NO KEY UPDATE SKIP LOCKED
    ), moved AS (
      UPDATE digests SET next_due_at = ${nextDueAt} FROM due WHERE digests.id = due.id
    ), mails AS (
      INSERT INTO digest_mails (id, digest_id, next_attempt_at, created_at)
      SELECT gen_random_uuid(), id, ${now}, ${now} FROM due RETURNING id, digest_id
    ), items AS (
      UPDATE digest_items SET mail_id = mails.id FROM mails
      WHERE digest_items.digest_id = mails.digest_id AND mail_id IS NULL
    )
    SELECT count(*)::int AS count FROM mails`;
  return row.count;
}

/** Moves the time of digests that were due without a change, so that the next change waits for the next time. */
export async function skipUnchanged(client: Database, { frequency, now, nextDueAt }: Omit<Create, "limit">) {
  await client.$executeRaw`
    UPDATE digests SET next_due_at = ${nextDueAt}
    WHERE status = 'active' AND frequency = ${frequency}::digest_frequency AND next_due_at <= ${now}
      AND NOT EXISTS (SELECT 1 FROM digest_items WHERE digest_id = digests.id AND mail_id IS NULL)`;
}

/** A claimed mail with its digest. */
export type ClaimedMail = {
  id: string;
  leaseId: string;
  /** Attempts, including this one. */
  attemptCount: number;
  digestId: string;
  contact: string;
  frequency: DigestFrequency;
  hasAccount: boolean;
};

/**
 * Claims due mails until the end of a lease, and counts their attempts, so that an attempt that is killed counts too. A
 * subquery in the place of `due` could be executed for each row, and then claims more than `limit`.
 */
export async function claimMails(
  client: Database,
  { now, leaseEnd, leaseId, limit }: { now: Date; leaseEnd: Date; leaseId: string; limit: number },
): Promise<ClaimedMail[]> {
  return client.$queryRaw<ClaimedMail[]>`
    WITH due AS (
      SELECT id FROM digest_mails WHERE status = 'pending' AND next_attempt_at <= ${now}
      ORDER BY next_attempt_at, id LIMIT ${limit}::int FOR UPDATE SKIP LOCKED
    )
    UPDATE digest_mails SET attempt_count = attempt_count + 1, lease_id = ${leaseId}::uuid, next_attempt_at = ${leaseEnd}
    FROM due, digests
    WHERE digest_mails.id = due.id AND digests.id = digest_id
    RETURNING digest_mails.id, lease_id AS "leaseId", attempt_count AS "attemptCount", digest_id AS "digestId", contact,
      frequency::text AS frequency, account_id IS NOT NULL AS "hasAccount"`;
}

const tiersWhere = (isIncluded: (tier: AccountTier) => boolean) => accountTiers.filter(isIncluded);
const publicTiers = tiersWhere((tier) => plans[tier].vendorAccess === "public-5");
const customTiers = tiersWhere((tier) => plans[tier].vendorAccess === "all-plus-custom");

type ChangeRow = Omit<MailChange, "vendor"> & {
  name: string;
  slug: string;
  isOwn: boolean;
  filterModels: string[];
  filterOperations: string[];
  minSignificance: number | null;
  total: number;
};

/** Gives the changes of a digest of some models or operations the summary and significance of these alone. */
async function describeBySubjects(client: Database, rows: readonly ChangeRow[]): Promise<readonly ChangeRow[]> {
  const { filterModels: names = [], filterOperations: calls = [], minSignificance } = rows[0] ?? {};
  if (names.length + calls.length === 0) return rows;
  const diffIds = rows.flatMap(({ diffId }) => diffId ?? []);
  const filter = { minSignificance: minSignificance ?? 1 };
  const models = await findChangesIn(client, diffIds, { names, ...filter });
  const operations = await findOperationsIn(client, diffIds, { filter: { calls, ...filter } });
  return rows.map((row) => {
    const ofModels = models.filter(({ diffId }) => diffId === row.diffId);
    const ofOperations = operations.filter(({ diffId }) => diffId === row.diffId);
    const most = ofModels[0] ?? ofOperations[0];
    const summary = ofModels.length > 0 ? summarizeChanges(ofModels) : summarizeOperations(ofOperations);
    return most ? { ...row, significance: most.significance, summary } : row;
  });
}

/**
 * Returns the changes of a mail that its recipient sees now, the most significant ones first, and how many there are in all:
 * those that the account's tier covers, and of vendors that its filters name what everyone may see.
 */
export async function readMailChanges(
  client: Database,
  mailId: string,
  limit: number,
): Promise<{ changes: MailChange[]; total: number }> {
  const rows = await client.$queryRaw<ChangeRow[]>`
    SELECT summary, significance, categories, diff_id AS "diffId", v.name, v.slug, v.account_id IS NOT NULL AS "isOwn",
      digests.filter_models AS "filterModels", digests.filter_operations AS "filterOperations",
      digests.min_significance AS "minSignificance", count(*) OVER ()::int AS total
    FROM digest_items JOIN digests ON digests.id = digest_id LEFT JOIN accounts ON accounts.id = digests.account_id
      JOIN reports r ON r.id = report_id JOIN vendors v ON v.id = r.vendor_id
    WHERE mail_id = ${mailId}::uuid AND CASE
      WHEN v.account_id IS NOT NULL THEN v.account_id = digests.account_id AND accounts.tier::text = ANY(${customTiers})
      WHEN accounts.tier::text <> ALL(${publicTiers}) THEN TRUE
      WHEN v.slug = ANY(filter_vendors) THEN ${isShownToEveryone}
      ELSE accounts.id IS NOT NULL AND (is_public OR reader <> 'llms_txt') END
    ORDER BY significance DESC, r.id DESC LIMIT ${limit}::int`;
  const described = await describeBySubjects(client, rows);
  const changes = described.map(({ name, slug, isOwn, summary, significance, categories, diffId }) => {
    return { summary, significance, categories, diffId, vendor: { name, slug, isOwn } };
  });
  return { changes, total: rows[0]?.total ?? 0 };
}

type Lease = { id: string; leaseId: string };

/** Postpones a mail to its next attempt. Does nothing if its lease was lost. */
export async function postponeMail(client: Database, { id, leaseId }: Lease, nextAttemptAt: Date): Promise<void> {
  const data = { leaseId: null, nextAttemptAt };
  await client.digestMail.updateMany({ where: { id, leaseId, status: "pending" }, data });
}

type Finish = {
  status: "sent" | "failed" | "empty";
  /** Whether the mail server refused the mail for good. */
  isRefused?: boolean;
  at: Date;
};

/**
 * Finishes a mail and forgets its changes, in one statement. Returns how many mails in a row were refused; null if the lease
 * was lost, and nothing was written.
 */
export async function finishMail(
  client: Database,
  { id, leaseId }: Lease,
  { status, isRefused = false, at }: Finish,
): Promise<number | null> {
  const [row] = await client.$queryRaw<{ refusedCount: number }[]>`
    WITH mail AS (
      UPDATE digest_mails SET status = ${status}::digest_mail_status, finished_at = ${at}, lease_id = NULL
      WHERE id = ${id}::uuid AND lease_id = ${leaseId}::uuid AND status = 'pending' RETURNING id, digest_id
    ), items AS (DELETE FROM digest_items USING mail WHERE mail_id = mail.id)
    UPDATE digests SET
      last_sent_at = CASE WHEN ${status} = 'sent' THEN ${at}::timestamptz ELSE last_sent_at END,
      refused_count = CASE WHEN ${isRefused} THEN refused_count + 1 WHEN ${status} = 'sent' THEN 0 ELSE refused_count END
    FROM mail WHERE digests.id = mail.digest_id RETURNING refused_count AS "refusedCount"`;
  return row?.refusedCount ?? null;
}

/** Disables a digest and forgets its waiting changes. */
export async function disableDigest(client: Database, digestId: string, at: Date, reason: string): Promise<void> {
  await client.$transaction([
    client.digest.updateMany({
      where: { id: digestId, status: "active" },
      data: { status: "disabled", disabledAt: at, disabledReason: reason, updatedAt: at },
    }),
    client.digestItem.deleteMany({ where: { digestId } }),
  ]);
}

/** Returns the number of unfinished mails that are due and not claimed. */
export async function countDueMails(client: Database, now: Date): Promise<number> {
  return client.digestMail.count({ where: { status: "pending", nextAttemptAt: { lte: now } } });
}
