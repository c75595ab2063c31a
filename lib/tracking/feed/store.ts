import type { Database } from "#lib/platform/database/index";
import { lowestIdAt } from "#lib/platform/ids";
import { dayMs } from "#lib/platform/time";
import { isOfCalls, maxOperationCount } from "#lib/tracking/operations/index";
import type { SnapshotMetaRow } from "#lib/tracking/snapshots/index";
import { isShownToEveryone, isVisibleToAccount } from "#lib/tracking/vendor-access/index";
import type { VendorSummary } from "#lib/tracking/vendors/index";
import { type Diff, Prisma } from "#prisma/generated/client";
import { type ChangeFilters, slugsOf } from "./changes/query";

/** Most added links, and most removed links, listed per change. */
const maxLinkCount = 25;

/** A change of a vendor's file. */
export type Change = VendorSummary &
  Pick<Diff, "id" | "linesAdded" | "linesRemoved" | "createdAt"> & {
    llmsTxtUrl: string;
    /** Whether the file is an OpenAPI document or a catalogue of models. */
    isOfSubjects: boolean;
    /** The first links; the counts below include all. */
    linksAdded: string[];
    linksRemoved: string[];
    linkCountAdded: number;
    linkCountRemoved: number;
    /** 1 to 5, and when the report was written; null before that. */
    significance: number | null;
    reportedAt: Date | null;
    /** Of the report; null before it is written, and if the caller may not see it. */
    summary: string | null;
    categories: string[] | null;
  };

export type ChangeSelection = {
  filters: ChangeFilters;
  /** The account whose own vendors are included too. */
  accountId: string | null;
  /** Only changes with a smaller id. */
  before?: string | undefined;
  limit: number;
  /** Only changes of models with any of these names. */
  modelNames?: readonly string[] | undefined;
  /** Only changes of operations that any of these calls calls; with `modelNames`, one of either. */
  calls?: readonly string[] | undefined;
};

/**
 * Bounds of the search for changes of operations, which reads the newest ones of the caller's OpenAPI documents: how many diffs
 * are looked at, with operations or without, and how many changes of operations are read.
 */
const maxSearchedDiffCount = 20_000;
const maxSearchedCount = 10_000;

/** Returns the condition that the filters name the vendor `v`, after a keyword; empty if they name none. */
function isNamed(filters: ChangeFilters, keyword: "WHERE" | "AND"): Prisma.Sql {
  const slugs = slugsOf(filters);
  return slugs ? Prisma.sql`${Prisma.raw(keyword)} v.slug = ANY(${slugs}::text[])` : Prisma.empty;
}

/** Selects the newest changes of operations that an account sees, within a range. Diffs of other accounts are never read. */
const selectOperations = ({ filters, accountId }: ChangeSelection, range: Prisma.Sql) => Prisma.sql`
  SELECT o.* FROM (
    SELECT d.id FROM vendors v CROSS JOIN LATERAL (
      SELECT d.id FROM diffs d WHERE d.vendor_id = v.id AND ${range} ORDER BY d.id DESC LIMIT ${maxSearchedDiffCount}
    ) d
    WHERE v.reader = 'openapi' AND ${isVisibleToAccount(accountId)}
      ${isNamed(filters, "AND")}
    ORDER BY d.id DESC LIMIT ${maxSearchedDiffCount}
  ) d CROSS JOIN LATERAL (SELECT * FROM operation_changes WHERE diff_id = d.id LIMIT ${maxOperationCount}) o
  ORDER BY d.id DESC LIMIT ${maxSearchedCount}`;

/** Returns the diffs with a change of a model or operation; undefined if all may be. */
function selectSubjects(selection: ChangeSelection): Prisma.Sql | undefined {
  const { filters, modelNames, calls } = selection;
  const { min_significance: minimum } = filters;
  const parts = [
    ...(modelNames
      ? [
          Prisma.sql`SELECT diff_id FROM model_changes
            WHERE names && ${[...modelNames]}::text[] AND significance >= ${minimum}`,
        ]
      : []),
    ...(calls
      ? [
          Prisma.sql`SELECT diff_id FROM (${selectOperations(selection, isInRange(Prisma.sql`d.id`, selection))}) o
            WHERE significance >= ${minimum} AND ${isOfCalls(Prisma.sql`${[...calls]}::text[]`)}`,
        ]
      : []),
  ];
  return parts.length === 0 ? undefined : Prisma.join(parts, " UNION ");
}

/** Returns the condition on the ids of diffs that the days and the position require. */
function isInRange(column: Prisma.Sql, { filters: { from, to }, before }: ChangeSelection): Prisma.Sql {
  const conditions = [
    Prisma.sql`TRUE`,
    ...(from === undefined ? [] : [Prisma.sql`${column} >= ${lowestIdAt(Date.parse(from))}::uuid`]),
    ...(to === undefined ? [] : [Prisma.sql`${column} < ${lowestIdAt(Date.parse(to) + dayMs)}::uuid`]),
    ...(before === undefined ? [] : [Prisma.sql`${column} < ${before}::uuid`]),
  ];
  return Prisma.join(conditions, " AND ");
}

/** Returns the condition on the ids of diffs that the models, the operations, the days and the position require. */
function isSelected(column: Prisma.Sql, selection: ChangeSelection): Prisma.Sql {
  const subjects = selectSubjects(selection);
  const range = isInRange(column, selection);
  // The array is read once, by an index.
  return subjects ? Prisma.sql`${column} = ANY(ARRAY(${subjects})) AND ${range}` : range;
}

/** Whether the report `r` of the vendor `v`, which the caller sees, is shown: its own vendors' are. */
const isShown = Prisma.sql`(v.account_id IS NOT NULL OR ${isShownToEveryone})`;

/** Selects diffs by their ids, or by those of each named vendor: both are read in the order of an index. */
function selectDiffs(selection: ChangeSelection): Prisma.Sql {
  const { filters, limit, accountId } = selection;
  const range = isSelected(Prisma.sql`d.id`, selection);
  if (slugsOf(filters)) {
    return Prisma.sql`SELECT d.id FROM vendors v CROSS JOIN LATERAL (
        SELECT d.id FROM diffs d WHERE d.vendor_id = v.id AND ${range} ORDER BY d.id DESC LIMIT ${limit}
      ) d
      ${isNamed(filters, "WHERE")} AND ${isVisibleToAccount(accountId)}
      ORDER BY d.id DESC LIMIT ${limit}`;
  }
  return Prisma.sql`SELECT d.id FROM diffs d
    WHERE ${range} AND (SELECT ${isVisibleToAccount(accountId)} FROM vendors WHERE id = d.vendor_id)
    ORDER BY d.id DESC LIMIT ${limit}`;
}

/**
 * Selects diffs by their reports. Those of named vendors and of a minimum significance are the newest of each vendor and
 * each higher one, each read in the order of an index; a scan of all would read every other one in between.
 */
function selectReported(selection: ChangeSelection): Prisma.Sql {
  const { filters, limit, accountId } = selection;
  const { category, min_significance: minimum } = filters;
  const hasNames = slugsOf(filters) !== undefined;
  const conditions = [
    isSelected(Prisma.sql`r.diff_id`, selection),
    ...(minimum === 1 ? [] : [Prisma.sql`r.significance = level::smallint`]),
    ...(category === undefined ? [] : [Prisma.sql`r.categories @> ARRAY[${category}]::text[]`]),
    ...(hasNames ? [Prisma.sql`r.vendor_id = named.id`] : []),
  ];
  const reported = Prisma.sql`SELECT r.diff_id AS id FROM reports r
    WHERE r.diff_id IS NOT NULL AND ${Prisma.join(conditions, " AND ")}
      AND (SELECT ${isVisibleToAccount(accountId)} AND ${category === undefined ? Prisma.sql`TRUE` : isShown}
        FROM vendors v WHERE v.id = r.vendor_id)
    ORDER BY r.diff_id DESC LIMIT ${limit}`;
  const each = [
    ...(hasNames ? [Prisma.sql`(SELECT id FROM vendors v ${isNamed(filters, "WHERE")}) named`] : []),
    ...(minimum === 1 ? [] : [Prisma.sql`generate_series(${minimum}::int, 5) level`]),
  ];
  if (each.length === 0) return reported;
  return Prisma.sql`SELECT reported.id FROM ${Prisma.join(each, " CROSS JOIN ")}
    CROSS JOIN LATERAL (${reported}) reported
    ORDER BY reported.id DESC LIMIT ${limit}`;
}

/**
 * Returns the changes that match the filters, newest first, of all vendors but the own ones of other accounts. The category
 * matches only reports that are shown. `LIMIT 1` forces a lookup by id; otherwise the planner may choose a merge join that
 * reads all diffs in between.
 */
export async function findChanges(client: Database, selection: ChangeSelection): Promise<Change[]> {
  const { category, min_significance: minimum } = selection.filters;
  const selected = category === undefined && minimum === 1 ? selectDiffs(selection) : selectReported(selection);
  return client.$queryRaw<Change[]>(Prisma.sql`
    SELECT d.id, v.name, v.slug, v.domain, v.category::text, v.llms_txt_url AS "llmsTxtUrl", v.reader <> 'llms_txt' AS "isOfSubjects",
      d.lines_added AS "linesAdded", d.lines_removed AS "linesRemoved", d.created_at AS "createdAt",
      d.links_added[1:${maxLinkCount}] AS "linksAdded", cardinality(d.links_added) AS "linkCountAdded",
      d.links_removed[1:${maxLinkCount}] AS "linksRemoved", cardinality(d.links_removed) AS "linkCountRemoved",
      r.significance, r.created_at AS "reportedAt", CASE WHEN r.shown THEN r.summary END AS summary,
      CASE WHEN r.shown THEN r.categories END AS categories
    FROM (${selected}) selected
    CROSS JOIN LATERAL (SELECT * FROM diffs WHERE id = selected.id LIMIT 1) d
    CROSS JOIN LATERAL (SELECT * FROM vendors WHERE id = d.vendor_id LIMIT 1) v
    LEFT JOIN LATERAL (SELECT r.*, ${isShown} AS shown FROM reports r WHERE r.diff_id = d.id LIMIT 1) r ON TRUE
    ORDER BY d.id DESC`);
}

/** Vendors in a feed: those visible to the caller that match the filters of the request. */
export type FeedFilter = {
  publicOnly: boolean;
  /** The account whose own vendors are included too. */
  accountId: string | null;
  slug?: string | undefined;
  fetchedAfter?: Date | undefined;
};

type DiffRow = { linesAdded: number; linesRemoved: number; diffAt: Date; compressedText: Uint8Array | null };
type NoDiffRow = { [Name in keyof DiffRow]: null };

/** A vendor with its latest snapshot, and its latest diff if that is within the tier's history. */
export type FetchedRow = VendorSummary &
  SnapshotMetaRow &
  (DiffRow | NoDiffRow) & {
    snapshotId: string;
    /** The highest security score of the snapshot and of the diff's two versions. */
    securityScore: number;
  };
/** A vendor that was never fetched. */
type UnfetchedRow = VendorSummary & { vendorId: string; snapshotId: null };
export type FeedRow = FetchedRow | UnfetchedRow;

function matches({ publicOnly, accountId, slug, fetchedAfter }: FeedFilter): Prisma.Sql {
  const conditions = [
    isVisibleToAccount(accountId),
    ...(publicOnly ? [Prisma.sql`is_public`] : []),
    ...(slug === undefined ? [] : [Prisma.sql`slug = ${slug}`]),
    // Always equal to the latest snapshot's fetched_at, so no snapshot has to be read.
    ...(fetchedAfter ? [Prisma.sql`last_fetched_at > ${fetchedAfter}`] : []),
  ];
  return Prisma.join(conditions, " AND ");
}

type FetchedOptions = {
  /** Only snapshots with smaller ids, and none if it is the id of a vendor; undefined: from the newest on. */
  cursor: string | undefined;
  take: number;
  /** Older diffs are left out; null: none are. */
  historyStart: Date | null;
  withDiffText: boolean;
};

/** Returns vendors with a snapshot, newest snapshot first. */
export async function findFetched(
  client: Database,
  filter: FeedFilter,
  { cursor, take, historyStart, withDiffText }: FetchedOptions,
): Promise<FetchedRow[]> {
  const position =
    cursor === undefined
      ? Prisma.sql`IS NOT NULL`
      : Prisma.sql`< ${cursor}::uuid AND NOT EXISTS (SELECT FROM vendors WHERE id = ${cursor}::uuid)`;
  const inHistory = historyStart ? Prisma.sql`AND created_at >= ${historyStart}` : Prisma.empty;
  const diffText = withDiffText ? Prisma.sql`d.compressed_text` : Prisma.sql`NULL::bytea`;
  // The page is limited before the joins, and LIMIT 1 forces lookups by id; otherwise the planner may choose a merge join
  // that reads all history between the page's snapshots.
  return client.$queryRaw<FetchedRow[]>(Prisma.sql`
    SELECT v.name, v.slug, v.domain, v.category::text, s.id AS "snapshotId", s.content_hash AS "contentHash",
      s.byte_size AS "byteSize", s.line_count AS "lineCount", s.link_count AS "linkCount", s.fetched_at AS "fetchedAt",
      d.lines_added AS "linesAdded", d.lines_removed AS "linesRemoved", d.created_at AS "diffAt",
      greatest(s.security_score, p.security_score) AS "securityScore", ${diffText} AS "compressedText"
    FROM (
      SELECT name, slug, domain, category, latest_snapshot_id, latest_diff_id FROM vendors
      WHERE ${matches(filter)} AND latest_snapshot_id ${position}
      ORDER BY latest_snapshot_id DESC LIMIT ${take}
    ) v
    CROSS JOIN LATERAL (SELECT * FROM snapshots WHERE id = v.latest_snapshot_id LIMIT 1) s
    LEFT JOIN LATERAL (SELECT * FROM diffs WHERE id = v.latest_diff_id ${inHistory} LIMIT 1) d ON true
    LEFT JOIN LATERAL (SELECT security_score FROM snapshots WHERE id = d.previous_snapshot_id LIMIT 1) p ON true
    ORDER BY v.latest_snapshot_id DESC`);
}

/** Returns vendors without a snapshot by slug, after `afterSlug`. */
export async function findUnfetched(
  client: Database,
  filter: FeedFilter,
  { afterSlug, take }: { afterSlug: string | null; take: number },
): Promise<UnfetchedRow[]> {
  const position = afterSlug === null ? Prisma.empty : Prisma.sql`AND slug > ${afterSlug}`;
  return client.$queryRaw<UnfetchedRow[]>(Prisma.sql`
    SELECT name, slug, domain, category::text, id AS "vendorId", NULL AS "snapshotId" FROM vendors
    WHERE ${matches(filter)} AND latest_snapshot_id IS NULL ${position}
    ORDER BY slug LIMIT ${take}`);
}

/** Returns the number of vendors that match a filter, and the time of their newest fetch. */
export async function summarizeVendors(
  client: Database,
  filter: FeedFilter,
): Promise<{ vendorCount: number; newestFetchAt: Date | null }> {
  const { fetchedAfter, ...all } = filter;
  const isCounted = fetchedAfter
    ? Prisma.sql`last_fetched_at > ${fetchedAfter} AND latest_snapshot_id IS NOT NULL`
    : Prisma.sql`TRUE`;
  const [summary] = await client.$queryRaw<[{ vendorCount: number; newestFetchAt: Date | null }]>(Prisma.sql`
    SELECT count(*) FILTER (WHERE ${isCounted})::int AS "vendorCount", max(last_fetched_at) AS "newestFetchAt"
    FROM vendors WHERE ${matches({ ...all, fetchedAfter: undefined })}`);
  return summary;
}

/** Returns the slug of any vendor; null if no vendor has the id. */
export async function findVendorSlug(client: Database, vendorId: string): Promise<string | null> {
  const [vendor] = await client.$queryRaw<{ slug: string }[]>(
    Prisma.sql`SELECT slug FROM vendors WHERE id = ${vendorId}::uuid`,
  );
  return vendor?.slug ?? null;
}
