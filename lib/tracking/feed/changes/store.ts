import type { Database } from "#lib/platform/database/index";
import { lowestIdAt } from "#lib/platform/ids";
import { dayMs } from "#lib/platform/time";
import type { VendorSummary } from "#lib/tracking/vendors/index";
import { Prisma } from "#prisma/generated/client";
import type { ChangeFilters } from "./query";

/** Most added links, and most removed links, listed per change. */
const maxLinkCount = 25;

/** A change of a vendor's file. */
export type Change = VendorSummary & {
  id: string;
  llmsTxtUrl: string;
  linesAdded: number;
  linesRemoved: number;
  /** The first links; the counts below include all. */
  linksAdded: string[];
  linksRemoved: string[];
  linkCountAdded: number;
  linkCountRemoved: number;
  createdAt: Date;
  /** 1 to 5, and when the report was written; null before that. */
  significance: number | null;
  reportedAt: Date | null;
  /** Of the report; null before it is written, and if the site does not show it to everyone. */
  summary: string | null;
  categories: string[] | null;
};

/** A vendor whose changes anyone may follow. */
type FollowedVendor = VendorSummary & { id: string; createdAt: Date };

/** Returns a vendor by its slug; null if there is none or an account owns it. */
export async function findFollowedVendor(client: Database, slug: string): Promise<FollowedVendor | null> {
  const [vendor] = await client.$queryRaw<FollowedVendor[]>(Prisma.sql`
    SELECT id, name, slug, domain, category::text, created_at AS "createdAt" FROM vendors
    WHERE slug = ${slug} AND account_id IS NULL`);
  return vendor ?? null;
}

export type ChangeSelection = {
  filters: ChangeFilters;
  /** Only changes with a smaller id. */
  before?: string | undefined;
  limit: number;
};

/** Returns the condition on the ids of diffs that the days and the position require. */
function isInRange(column: Prisma.Sql, { filters: { from, to }, before }: ChangeSelection): Prisma.Sql {
  const conditions = [
    ...(from === undefined ? [] : [Prisma.sql`${column} >= ${lowestIdAt(Date.parse(from))}::uuid`]),
    ...(to === undefined ? [] : [Prisma.sql`${column} < ${lowestIdAt(Date.parse(to) + dayMs)}::uuid`]),
    ...(before === undefined ? [] : [Prisma.sql`${column} < ${before}::uuid`]),
  ];
  return conditions.length === 0 ? Prisma.sql`TRUE` : Prisma.join(conditions, " AND ");
}

/**
 * Whether everyone may see the report `r` of the vendor `v`: any report of a vendor that the free tier covers, and the newest
 * one of other vendors, as on their pages. The significance is shown of every change.
 */
const isShown = Prisma.sql`(v.is_public
  OR NOT EXISTS (SELECT 1 FROM reports newer WHERE newer.vendor_id = r.vendor_id AND newer.id > r.id))`;

const idOfVendor = (slug: string) => Prisma.sql`(SELECT id FROM vendors WHERE slug = ${slug} AND account_id IS NULL)`;

/** Selects diffs by their ids, or by those of one vendor: both are read in the order of an index. */
function selectDiffs(selection: ChangeSelection): Prisma.Sql {
  const { filters, limit } = selection;
  const range = isInRange(Prisma.sql`d.id`, selection);
  if (filters.vendor !== undefined) {
    return Prisma.sql`SELECT d.id FROM diffs d WHERE d.vendor_id = ${idOfVendor(filters.vendor)} AND ${range}
      ORDER BY d.id DESC LIMIT ${limit}`;
  }
  return Prisma.sql`SELECT d.id FROM diffs d
    WHERE ${range} AND (SELECT account_id IS NULL FROM vendors WHERE id = d.vendor_id)
    ORDER BY d.id DESC LIMIT ${limit}`;
}

/**
 * Selects diffs by their reports. Those of a minimum significance are the newest of each higher one, each read in the order of
 * an index; a scan of all would read every insignificant one in between.
 */
function selectReported(selection: ChangeSelection): Prisma.Sql {
  const { filters, limit } = selection;
  const { vendor, category, min_significance: minimum } = filters;
  const conditions = [
    isInRange(Prisma.sql`r.diff_id`, selection),
    ...(minimum === 1 ? [] : [Prisma.sql`r.significance = level::smallint`]),
    ...(category === undefined ? [] : [Prisma.sql`r.categories @> ARRAY[${category}]::text[]`]),
    ...(vendor === undefined ? [] : [Prisma.sql`r.vendor_id = ${idOfVendor(vendor)}`]),
  ];
  const reported = Prisma.sql`SELECT r.diff_id AS id FROM reports r
    WHERE r.diff_id IS NOT NULL AND ${Prisma.join(conditions, " AND ")}
      AND (SELECT v.account_id IS NULL AND ${category === undefined ? Prisma.sql`TRUE` : isShown}
        FROM vendors v WHERE v.id = r.vendor_id)
    ORDER BY r.diff_id DESC LIMIT ${limit}`;
  if (minimum === 1) return reported;
  return Prisma.sql`SELECT reported.id FROM generate_series(${minimum}::int, 5) level
    CROSS JOIN LATERAL (${reported}) reported
    ORDER BY reported.id DESC LIMIT ${limit}`;
}

/**
 * Returns the changes that match the filters, newest first, of all vendors that no account owns. The category
 * matches only reports that everyone may see. `LIMIT 1` forces a lookup by id; otherwise the planner may choose a merge join that
 * reads all diffs in between.
 */
export async function findChanges(client: Database, selection: ChangeSelection): Promise<Change[]> {
  const { category, min_significance: minimum } = selection.filters;
  const selected = category === undefined && minimum === 1 ? selectDiffs(selection) : selectReported(selection);
  return client.$queryRaw<Change[]>(Prisma.sql`
    SELECT d.id, v.name, v.slug, v.domain, v.category::text, v.llms_txt_url AS "llmsTxtUrl",
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
