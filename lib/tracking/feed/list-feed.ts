import type { Caller } from "#lib/accounts/keys/index";
import { contractTier, historyStart, type Plan } from "#lib/accounts/plans/index";
import { parseIdCursor } from "#lib/contract/query-schemas";
import type { Clock } from "#lib/platform/clock";
import { decompressText } from "#lib/platform/compress-text";
import type { Database } from "#lib/platform/database/index";
import { boundDiffText } from "#lib/tracking/diffs/index";
import { toSnapshotMeta } from "#lib/tracking/snapshots/index";
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

/** Diffs that are decompressed at once: one can be large, and only its beginning is kept. */
const batchSize = 8;

async function diffContentOf(row: FetchedRow): Promise<DiffContent | null> {
  if (row.diffAt === null || row.compressedText === null) return null;
  return {
    lines_added: row.linesAdded,
    lines_removed: row.linesRemoved,
    diff_text: boundDiffText(await decompressText(row.compressedText)),
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

/** Entries of the feed in the order of their rows; without diff content they have no such field. */
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

export type FeedContext = {
  database: Database;
  caller: Caller;
  clock: Clock;
  /** Date of the build, `YYYY-MM-DD`. */
  buildDate: string;
};

/** Version of the feed's format. */
const feedVersion = "1.0";

/** Bounds of what the database can compare with; nothing was fetched outside of them. */
const earliestMs = 0;
const latestMs = Date.UTC(9999, 0);

function toMoment(dateTime: string): Date {
  return new Date(Math.min(Math.max(Date.parse(dateTime), earliestMs), latestMs));
}

function filterOf({ plan, accountId }: Caller, { vendor, since }: FeedQuery): FeedFilter {
  return {
    publicOnly: plan.vendorAccess === "public-5",
    accountId: plan.vendorAccess === "all-plus-custom" ? accountId : null,
    slug: vendor,
    fetchedAfter: since === undefined ? undefined : toMoment(since),
  };
}

type PageOptions = { filter: FeedFilter; cursor: string | undefined; take: number; plan: Plan; now: Date };

/**
 * The rows after a cursor.
 *
 * A cursor is a vendor's id where its entry had no snapshot, and a snapshot's id otherwise. Ids are never given twice,
 * so an id that a vendor has is that vendor's: the walk goes on after its slug, also where it has been fetched since.
 * Any other id stands for the snapshots before it, whether or not that snapshot is still there. So one thing is lost:
 * when a vendor is removed on whose id a cursor stands (it had no snapshot then), that id reads like a snapshot's of the
 * time it was added.
 */
async function readPage(client: Database, { filter, cursor, take, plan, now }: PageOptions): Promise<FeedRow[]> {
  const history = { historyStart: historyStart(plan, now), withDiffText: plan.diffAccess };
  const fetched = await findFetched(client, filter, { cursor, take, ...history });
  // What was never fetched was not fetched after any moment either.
  if (fetched.length === take || filter.fetchedAfter) return fetched;
  const afterSlug = fetched.length === 0 && cursor !== undefined ? await findVendorSlug(client, cursor) : null;
  return [...fetched, ...(await findUnfetched(client, filter, { afterSlug, take: take - fetched.length }))];
}

/** The id that a walk goes on after: the snapshot's, or the vendor's where there is none. */
function cursorOf(row: FeedRow): string {
  return row.snapshotId ?? row.vendorId;
}

/**
 * A page of the feed: one entry for each vendor that the caller's tier sees, whatever its status, the newest snapshot
 * first and those never fetched at the end, by slug. Throws AppError invalid_cursor.
 */
export async function listFeed(context: FeedContext, { query }: { query: FeedQuery }): Promise<Feed> {
  const { database, caller, clock, buildDate } = context;
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
      updated_at: (newestFetchAt ?? filter.fetchedAfter ?? new Date(buildDate)).toISOString(),
    },
    feed: await toFeedEntries(page, { withDiffContent: caller.plan.diffAccess }),
  };
}
