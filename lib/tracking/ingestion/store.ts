import type { ModelReader } from "#lib/models/index";
import { type Database, queryDirectly } from "#lib/platform/database/index";
import type { FetchStatus } from "./fetch-status";

/** A vendor to fetch, as it was read. */
export type DueVendor = FetchStatus & {
  id: string;
  slug: string;
  name: string;
  domain: string;
  reader: "llms_txt" | "openapi" | ModelReader;
  llmsTxtUrl: string;
  etag: string | null;
  lastModified: string | null;
  /** When it was due. Every fetch changes it, so that of two concurrent fetches only the first is stored. */
  nextFetchAt: Date;
  latestSnapshotId: string | null;
  /** SHA-256 of the latest snapshot's content. */
  latestHash: string | null;
  latestSecurityScore: number | null;
  latestLineCount: number | null;
  /** Whether all vendors that are fetched with this one have its latest content; null if there are none. */
  followersAreCurrent: boolean | null;
};

/** Vendors that can be fetched. Samples cannot, because their sites do not exist. */
const isFetchable = (vendor: string) =>
  `${vendor}.status IN ('active', 'unreachable') AND ${vendor}.origin <> 'sample'`;

/**
 * Whether a vendor `v` follows another one: of the vendors with one URL that is read alike, only one leads and is due.
 * It is a vendor that all callers see, or else the account's vendor that was added first.
 */
export const isFollower = `(v.account_id IS NOT NULL AND EXISTS (
    SELECT 1 FROM vendors o WHERE o.llms_txt_url = v.llms_txt_url AND o.reader = v.reader AND o.id <> v.id
      AND (o.account_id IS NULL OR o.id < v.id) AND ${isFetchable("o")}
  ))`;

/** Whether a vendor `f` is fetched with `v`. */
const isFetchedWith = `f.llms_txt_url = v.llms_txt_url AND f.reader = v.reader AND f.account_id IS NOT NULL AND f.id <> v.id
  AND ${isFetchable("f")}`;

const vendorColumns = `v.id, v.slug, v.name, v.domain, v.reader, v.llms_txt_url AS "llmsTxtUrl", v.etag,
  v.last_modified AS "lastModified", v.next_fetch_at AS "nextFetchAt", v.fetch_interval_s AS "fetchIntervalS",
  v.status, v.failure_count AS "failureCount", v.failing_since AS "failingSince",
  v.latest_snapshot_id AS "latestSnapshotId", s.content_hash AS "latestHash",
  s.security_score AS "latestSecurityScore", s.line_count AS "latestLineCount"`;
const followersAreCurrent = `(SELECT bool_and(fs.content_hash IS NOT DISTINCT FROM s.content_hash)
    FROM vendors f LEFT JOIN snapshots fs ON fs.id = f.latest_snapshot_id WHERE ${isFetchedWith})`;

/** Returns the query of vendors, with the SQL that says whether those are current that are fetched with one. */
const selectVendors = (areCurrent: string) => `SELECT ${vendorColumns}, ${areCurrent} AS "followersAreCurrent"
  FROM vendors v LEFT JOIN snapshots s ON s.id = v.latest_snapshot_id`;

const isDue = `${isFetchable("v")} AND v.next_fetch_at <= $1 AND NOT ${isFollower}`;

/** Returns the ids of vendors that are due, the longest overdue first. */
export async function findDueIds(client: Database, dueAt: Date, limit: number): Promise<string[]> {
  const rows = await queryDirectly(client, {
    text: `SELECT v.id FROM vendors v WHERE ${isDue} ORDER BY v.next_fetch_at, v.id LIMIT $2`,
    values: [dueAt, limit],
  });
  return (rows as { id: string }[]).map(({ id }) => id);
}

/** Returns those of the vendors that are due. */
export async function findDueVendors(client: Database, ids: readonly string[], dueAt: Date): Promise<DueVendor[]> {
  const text = `${selectVendors(followersAreCurrent)} WHERE ${isDue} AND v.id = ANY($2)`;
  return (await queryDirectly(client, { text, values: [dueAt, ids] })) as DueVendor[];
}

/** Most followers read and stored at a time: as many as are stored at once without waiting for more. */
const followerCount = 16;

/** Returns vendors that are fetched with another one, by id, after an id. */
export async function findFollowers(
  client: Database,
  { llmsTxtUrl, reader, id }: Pick<DueVendor, "llmsTxtUrl" | "reader" | "id">,
  afterId: string,
): Promise<DueVendor[]> {
  const text = `${selectVendors("NULL")}
    WHERE v.llms_txt_url = $1 AND v.reader = $4::vendor_reader AND v.id <> $2 AND v.id > $3 AND v.account_id IS NOT NULL AND ${isFetchable("v")}
    ORDER BY v.id LIMIT ${followerCount}`;
  return (await queryDirectly(client, { text, values: [llmsTxtUrl, id, afterId, reader] })) as DueVendor[];
}

/** Returns the ids of the vendors that share the URLs of some: what their fetches stored versions for. */
export async function findVendorsOfFetches(client: Database, ids: readonly string[]): Promise<string[]> {
  const text = `SELECT DISTINCT v.id FROM vendors f JOIN vendors v
    ON v.id = f.id OR (v.llms_txt_url = f.llms_txt_url AND v.reader = f.reader AND v.account_id IS NOT NULL) WHERE f.id = ANY($1)`;
  return (await queryDirectly(client, { text, values: [ids] })).map(({ id }) => String(id));
}

/** Makes vendors due at other times. Those that were fetched meanwhile are left alone. */
export async function postponeFetches(
  client: Database,
  vendors: readonly { id: string; nextFetchAt: Date; until: Date }[],
): Promise<void> {
  const rows = JSON.stringify(vendors.map(({ id, nextFetchAt, until }) => ({ id, at: nextFetchAt, until })));
  await client.$executeRaw`
    UPDATE vendors SET next_fetch_at = rows.until
    FROM json_to_recordset(${rows}::json) AS rows (id uuid, at timestamptz(3), until timestamptz(3))
    WHERE vendors.id = rows.id AND vendors.next_fetch_at = rows.at`;
}

/**
 * Makes vendors due at `now` whose next fetch is after `latest`, which only a clock that was ahead can have written; returns
 * how many.
 */
export async function recallFetches(client: Database, { now, latest }: { now: Date; latest: Date }): Promise<number> {
  return client.$executeRaw`UPDATE vendors SET next_fetch_at = ${now} WHERE next_fetch_at > ${latest} AND status <> 'paused'`;
}

/** Returns vendors by their slugs, whether they are due or not. */
export async function findVendorsToFetch(client: Database, slugs: readonly string[]): Promise<DueVendor[]> {
  const text = `${selectVendors(followersAreCurrent)} WHERE v.slug = ANY($1)`;
  return (await queryDirectly(client, { text, values: [slugs] })) as DueVendor[];
}

/** Returns the number of vendors that are due. */
export async function countDue(client: Database, dueAt: Date): Promise<number> {
  const text = `SELECT count(*)::int AS count FROM vendors v WHERE ${isDue}`;
  const [row] = await queryDirectly(client, { text, values: [dueAt] });
  return Number(row?.count);
}

/** Deletes up to `limit` fetch records older than `before` and returns how many. */
export async function pruneFetches(
  client: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  return client.$executeRaw`
    DELETE FROM fetches WHERE id IN (SELECT id FROM fetches WHERE created_at < ${before} LIMIT ${limit})`;
}
