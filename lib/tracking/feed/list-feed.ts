import type { CallContext, Caller } from "#lib/accounts/keys/index";
import { contractTier, historyStart, type Plan } from "#lib/accounts/plans/index";
import { parseIdCursor } from "#lib/contract/query-schemas";
import type { Database } from "#lib/platform/database/index";
import { answerDiffText } from "#lib/tracking/diffs/index";
import { toSnapshotMeta } from "#lib/tracking/snapshots/index";
import { ownAccountOf } from "#lib/tracking/vendor-access/index";
import type { DiffContent, Feed, FeedEntry, FeedQuery } from "./schemas";
import {
  type FeedFilter,
  type FeedRow,
  type FetchedRow,
  findFetched,
  findUnfetched,
  findVendorSlug,
  summarizeVendors,
} from "./store";

/** Diffs decompressed concurrently; each can be large, though only its beginning is kept. */
const batchSize = 8;

async function diffContentOf(row: FetchedRow): Promise<DiffContent | null> {
  if (row.diffAt === null || row.compressedText === null) return null;
  return {
    lines_added: row.linesAdded,
    lines_removed: row.linesRemoved,
    diff_text: await answerDiffText(row.compressedText, row.securityScore),
    created_at: row.diffAt.toISOString(),
  };
}

function recentChangeOf({ linesAdded, linesRemoved, diffAt }: FetchedRow): FeedEntry["recent_change"] {
  if (diffAt === null) return null;
  return { lines_added: linesAdded, lines_removed: linesRemoved, detected_at: diffAt.toISOString() };
}

async function toFeedEntry(row: FeedRow, withDiffContent: boolean): Promise<FeedEntry> {
  const { name, slug, domain, category } = row;
  const vendor = { name, slug, domain, category };
  if (row.snapshotId === null) {
    return { vendor, latest: null, recent_change: null, ...(withDiffContent && { diff_content: null }) };
  }
  return {
    vendor,
    latest: toSnapshotMeta(row),
    recent_change: recentChangeOf(row),
    ...(withDiffContent && { diff_content: await diffContentOf(row) }),
  };
}

/** Returns the feed entries of the rows, in order. `diff_content` is omitted unless `withDiffContent`. */
async function toFeedEntries(
  rows: readonly FeedRow[],
  { withDiffContent }: { withDiffContent: boolean },
): Promise<FeedEntry[]> {
  const entries: FeedEntry[] = [];
  for (let start = 0; start < rows.length; start += batchSize) {
    const batch = rows.slice(start, start + batchSize);
    entries.push(...(await Promise.all(batch.map((row) => toFeedEntry(row, withDiffContent)))));
  }
  return entries;
}

/** Version of the feed's format. */
const feedVersion = "1.0";

/** Range of times that the database can compare; nothing was fetched outside of it. */
const earliestMs = 0;
const latestMs = Date.UTC(9999, 0);

function clampTime(dateTime: string): Date {
  return new Date(Math.min(Math.max(Date.parse(dateTime), earliestMs), latestMs));
}

function filterOf(caller: Caller, { vendor, since }: FeedQuery): FeedFilter {
  return {
    publicOnly: caller.plan.vendorAccess === "public-5",
    accountId: ownAccountOf(caller),
    slug: vendor,
    fetchedAfter: since === undefined ? undefined : clampTime(since),
  };
}

type PageOptions = { filter: FeedFilter; cursor: string | undefined; take: number; plan: Plan; now: Date };

/**
 * Returns the rows after a cursor.
 *
 * A cursor is a snapshot's id, or the vendor's id if the entry had no snapshot. Ids are unique across both, so an id that
 * belongs to a vendor means: continue after that vendor's slug, even if the vendor has been fetched since. Any other id
 * means: continue with older snapshots, whether or not that snapshot still exists. One limitation follows: if a vendor
 * without a snapshot is deleted while a cursor holds its id, the id is taken for that of a snapshot from the time when
 * the vendor was added.
 */
async function readPage(client: Database, { filter, cursor, take, plan, now }: PageOptions): Promise<FeedRow[]> {
  const history = { historyStart: historyStart(plan, now), withDiffText: plan.diffAccess };
  const fetched = await findFetched(client, filter, { cursor, take, ...history });
  // Vendors that were never fetched cannot match `fetchedAfter`.
  if (fetched.length === take || filter.fetchedAfter) return fetched;
  const afterSlug = fetched.length === 0 && cursor !== undefined ? await findVendorSlug(client, cursor) : null;
  return [...fetched, ...(await findUnfetched(client, filter, { afterSlug, take: take - fetched.length }))];
}

/** Returns the cursor after a row: its snapshot's id, or the vendor's id if there is none. */
function cursorOf(row: FeedRow): string {
  return row.snapshotId ?? row.vendorId;
}

/**
 * Returns a page of the feed: one entry for each vendor of any status that is visible to the caller, newest snapshot
 * first, then vendors without a snapshot by slug. Throws AppError invalid_cursor.
 */
export async function listFeed(context: CallContext, { query }: { query: FeedQuery }): Promise<Feed> {
  const { database, caller, clock } = context;
  const cursor = parseIdCursor(query.cursor);
  const filter = filterOf(caller, query);
  const [rows, { vendorCount, newestFetchAt }] = await Promise.all([
    readPage(database, { filter, cursor, take: query.limit + 1, plan: caller.plan, now: clock.now() }),
    summarizeVendors(database, filter),
  ]);
  const page = rows.slice(0, query.limit);
  const last = rows.length > page.length ? page.at(-1) : undefined;
  return {
    _meta: {
      service: "tapedeck",
      version: feedVersion,
      count: page.length,
      next_cursor: last ? cursorOf(last) : null,
      has_more: last !== undefined,
      vendor_count: vendorCount,
      tier: contractTier(caller.tier),
      updated_at: (newestFetchAt ?? new Date(0)).toISOString(),
    },
    feed: await toFeedEntries(page, { withDiffContent: caller.plan.diffAccess }),
  };
}
