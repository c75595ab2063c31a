import { blockedScore } from "#lib/contract/blocked-content";
import { findChangesIn, isModelReader } from "#lib/models/index";
import { batchCalls } from "#lib/platform/batch-calls";
import { decompressText } from "#lib/platform/compress-text";
import { type Database, queryDirectly, type Transaction } from "#lib/platform/database/index";
import { toJson } from "#lib/platform/well-formed-json";
import { digestItemsPart } from "#lib/tracking/digests/index";
import { findOperationsIn } from "#lib/tracking/operations/index";
import { visibleTo } from "#lib/tracking/vendor-access/index";
import { eventsPart, type PreparedEvent } from "#lib/tracking/webhooks/index";
import { Prisma } from "#prisma/generated/client";
import type { Analysis, Change } from "./analysis";
import type { AnalysisMode, IntelligenceQuery } from "./schemas";

const vendorColumns = {
  select: { id: true, name: true, slug: true, domain: true, category: true, accountId: true, reader: true },
};

export type ReportRow = Prisma.ReportGetPayload<{ include: { vendor: typeof vendorColumns } }>;

/** Returns the newest reports with an id smaller than `before`, including those of the account's own vendors. */
export async function findReports(
  client: Database,
  { vendor: slug, category, min_significance: minSignificance, limit }: IntelligenceQuery,
  { since, before, accountId }: { since: Date | null; before: string | undefined; accountId: string | null },
): Promise<ReportRow[]> {
  return client.report.findMany({
    where: {
      vendor: { ...(slug !== undefined && { slug }), ...visibleTo(accountId) },
      significance: { gte: minSignificance },
      ...(category && { categories: { has: category } }),
      ...(since && { createdAt: { gte: since } }),
      ...(before !== undefined && { id: { lt: before } }),
    },
    include: { vendor: vendorColumns },
    orderBy: { id: "desc" },
    take: limit,
  });
}

/** Subject of a report: a change, a vendor's first version (no diff), or a missing file (no snapshot). */
export type Subject = { vendorId: string; snapshotId: string | null; diffId: string | null };

export type Wanted = { limit: number; vendorIds?: readonly string[] | undefined };

export async function findUnanalysedChanges(client: Database, { limit, vendorIds }: Wanted): Promise<Subject[]> {
  const diffs = await client.diff.findMany({
    where: { analysedAt: null, ...(vendorIds && { vendorId: { in: [...vendorIds] } }) },
    select: { id: true, vendorId: true, currentSnapshotId: true },
    orderBy: { id: "asc" },
    take: limit,
  });
  return diffs.map(({ id: diffId, vendorId, currentSnapshotId: snapshotId }) => ({ vendorId, snapshotId, diffId }));
}

/** Returns the first versions of vendors that have no other version and no report. */
export async function findUnanalysedFirstVersions(client: Database, { limit, vendorIds }: Wanted): Promise<Subject[]> {
  const vendors = await client.vendor.findMany({
    where: {
      latestDiffId: null,
      latestSnapshot: { report: null, diffToPrevious: null },
      ...(vendorIds && { id: { in: [...vendorIds] } }),
    },
    select: { id: true, latestSnapshotId: true },
    orderBy: { id: "asc" },
    take: limit,
  });
  return vendors.map(({ id: vendorId, latestSnapshotId: snapshotId }) => ({ vendorId, snapshotId, diffId: null }));
}

const missingFailures = ["http_404", "http_410"];
const missingFetchCount = 3;

export async function findMissingFiles(client: Database): Promise<Subject[]> {
  const failing = await client.vendor.findMany({
    where: { failureCount: { gte: missingFetchCount }, latestSnapshotId: { not: null } },
    select: {
      id: true,
      failingSince: true,
      fetches: { select: { failure: true }, orderBy: { id: "desc" }, take: missingFetchCount },
      reports: { select: { createdAt: true }, where: { snapshotId: null }, orderBy: { id: "desc" }, take: 1 },
    },
  });
  return failing
    .filter(({ fetches }) => fetches.every(({ failure }) => failure !== null && missingFailures.includes(failure)))
    .filter(({ failingSince, reports: [last] }) => !last || (failingSince !== null && last.createdAt < failingSince))
    .map(({ id }) => ({ vendorId: id, snapshotId: null, diffId: null }));
}

export async function findReportedVendor(client: Database, vendorId: string): Promise<ReportRow["vendor"]> {
  return client.vendor.findUniqueOrThrow({ where: { id: vendorId }, ...vendorColumns });
}

/** Returns what a diff changes of models or operations; null for files that have none. */
export async function findDescribed(client: Database, reader: string, diffId: string | null, limit?: number) {
  const diffIds = diffId === null ? [] : [diffId];
  return {
    models: isModelReader(reader) ? await findChangesIn(client, diffIds) : null,
    operations: reader === "openapi" ? await findOperationsIn(client, diffIds, { limit }) : null,
  };
}

export async function readChange(client: Database, { snapshotId, diffId }: Subject): Promise<Change> {
  const content = { select: { compressed: true } };
  const snapshot = await client.snapshot.findUniqueOrThrow({
    where: { id: snapshotId ?? "" },
    select: { securityScore: true, content, vendor: { select: { name: true, domain: true, reader: true } } },
  });
  const { reader, ...vendor } = snapshot.vendor;
  const { securityScore } = snapshot;
  const after = await decompressText(snapshot.content.compressed);
  const version = { ...vendor, after, securityScore, ...(await findDescribed(client, reader, diffId)) };
  if (diffId === null) return { ...version, before: null, comparison: null, previousSecurityScore: 0 };
  const include = { previousSnapshot: { select: { content, securityScore: true } } } as const;
  const diff = await client.diff.findUniqueOrThrow({ where: { id: diffId }, include });
  const { previousSnapshot, compressedText, ...counts } = diff;
  const before = await decompressText(previousSnapshot.content.compressed);
  const comparison = { ...counts, text: await decompressText(compressedText) };
  return { ...version, before, comparison, previousSecurityScore: previousSnapshot.securityScore };
}

/** Returns the last version of a vendor before another one whose text is not withheld; null if there is none. */
export async function readLastShown(client: Database, { vendorId, snapshotId }: Subject) {
  const snapshot = await client.snapshot.findFirst({
    where: { vendorId, id: { lt: snapshotId ?? "" }, securityScore: { lt: blockedScore } },
    orderBy: { id: "desc" },
    select: { createdAt: true, securityScore: true, content: { select: { compressed: true } } },
  });
  if (!snapshot) return null;
  const { content, ...version } = snapshot;
  return { ...version, text: await decompressText(content.compressed) };
}

/** Counts an attempt to analyse a version, and returns how many there were, including this one. Throws if it is deleted. */
export async function countAttempt(client: Database, snapshotId: string): Promise<number> {
  const data = { analysisAttempts: { increment: 1 } };
  return (await client.snapshot.update({ where: { id: snapshotId }, data })).analysisAttempts;
}

export async function readMeasures(client: Database, { snapshotId, diffId }: Subject) {
  const { securityScore, byteSize } = await client.snapshot.findUniqueOrThrow({
    where: { id: snapshotId ?? "" },
    select: { securityScore: true, byteSize: true },
  });
  if (diffId === null) return { securityScore, byteSize, change: null };
  const previousSnapshot = { select: { byteSize: true } } as const;
  const select = { linesAdded: true, linesRemoved: true, previousSnapshot } as const;
  return { securityScore, byteSize, change: await client.diff.findUniqueOrThrow({ where: { id: diffId }, select }) };
}

export async function readDiffDetail(client: Database, diffId: string) {
  return client.diff.findUniqueOrThrow({ where: { id: diffId }, omit: { compressedText: true } });
}

export type NewReport = Analysis &
  Subject & { id: string; mode: AnalysisMode; analyser: "rules" | "model"; analyserVersion: string; createdAt: Date };

type ReportWithEvent = NewReport & { event?: PreparedEvent | null };

const inSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** Returns a report as a row: columns have the names of its fields in snake case. */
const toRow = ({ facts: _facts, moves: _moves, event: _event, ...report }: ReportWithEvent) =>
  Object.fromEntries(Object.entries(report).map(([name, value]) => [inSnakeCase(name), value]));

/**
 * Returns the statement that stores reports of subjects that have none, and returns their ids. Unless they replace others,
 * which are about changes that were announced, it adds those of changes to digests.
 */
function insertStatement(reports: readonly ReportWithEvent[], { replaces }: { replaces: boolean }): Prisma.Sql {
  const events = reports.flatMap(({ event }) => event ?? []);
  const rows = reports.map(toRow);
  // Named, because an older server may still write while a newer one adds a column.
  const columns = Prisma.raw(Object.keys(rows[0]!).join(", "));
  // A first version is no change.
  const items = Prisma.sql`, report AS (SELECT * FROM stored WHERE diff_id IS NOT NULL OR snapshot_id IS NULL),
    ${digestItemsPart(reports[0]!.createdAt)}`;
  return Prisma.sql`WITH new AS (
    SELECT * FROM json_populate_recordset(null::reports, ${toJson(rows)}::json) LIMIT ${reports.length}
  ), analysed AS (
    UPDATE diffs SET analysed_at = new.created_at FROM new WHERE diffs.id = new.diff_id AND analysed_at IS NULL
    RETURNING diffs.id
  ), stored AS (
    INSERT INTO reports (${columns}) SELECT ${columns} FROM new WHERE CASE
      WHEN diff_id IS NOT NULL THEN diff_id IN (SELECT id FROM analysed)
      ELSE snapshot_id IS NOT NULL OR EXISTS (
        SELECT 1 FROM vendors WHERE id = new.vendor_id AND failing_since IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM reports WHERE vendor_id = vendors.id AND snapshot_id IS NULL AND created_at >= failing_since))
      END
    ON CONFLICT DO NOTHING RETURNING id, vendor_id, diff_id, snapshot_id, significance, categories
  )${replaces ? Prisma.empty : items}${events.length > 0 ? Prisma.sql`, ${eventsPart(events)}` : Prisma.empty}
    SELECT id FROM stored`;
}

/**
 * Stores the report of a version with its event, those of concurrent calls in one statement, and adds it to digests. Returns
 * false if the version has one, since another writer was first.
 */
export const insertReport = batchCalls<Database, ReportWithEvent, boolean>(
  async (client, reports) => {
    const { text, values } = insertStatement(reports, { replaces: false });
    const stored = new Set((await queryDirectly(client, { text, values })).map(({ id }) => id));
    return reports.map(({ id }) => stored.has(id));
  },
  { maxCount: 64 },
);

/**
 * Stores the report of a subject with its event in a transaction, and adds it to digests unless it replaces another one.
 * Returns false if the subject has a report, since another writer was first. Waits for concurrent writers.
 */
export async function insertReportWithin(
  transaction: Transaction,
  report: ReportWithEvent,
  replaces: boolean,
): Promise<boolean> {
  // A missing file has no row of its own by which its writers would wait for each other.
  if (report.snapshotId === null)
    await transaction.$queryRaw`SELECT id FROM vendors WHERE id = ${report.vendorId}::uuid FOR UPDATE`;
  return (await transaction.$queryRaw<unknown[]>(insertStatement([report], { replaces }))).length === 1;
}

export async function deleteReport(transaction: Transaction, { snapshotId, diffId }: Subject): Promise<void> {
  if (diffId !== null) {
    await transaction.report.deleteMany({ where: { diffId } });
    await transaction.diff.updateMany({ where: { id: diffId }, data: { analysedAt: null } });
  } else if (snapshotId !== null) await transaction.report.deleteMany({ where: { snapshotId, diffId: null } });
}

/** Returns the latest version of a vendor as a subject; null if there is no such vendor or no version. */
export async function findLatestSubject(client: Database, slug: string): Promise<Subject | null> {
  const vendor = await client.vendor.findUnique({ where: { slug } });
  if (!vendor?.latestSnapshotId) return null;
  return { vendorId: vendor.id, snapshotId: vendor.latestSnapshotId, diffId: vendor.latestDiffId };
}

export async function findReportsOfVendor(client: Database, slug: string, limit: number): Promise<ReportRow[] | null> {
  const reports = { include: { vendor: vendorColumns }, orderBy: { id: "desc" }, take: limit } as const;
  return (await client.vendor.findUnique({ where: { slug }, select: { reports } }))?.reports ?? null;
}

const publicColumns = { id: true, summary: true, significance: true, createdAt: true, diffId: true } as const;

/** Returns the newest report of a vendor that everyone sees or that an account owns, with its public columns. */
export async function findNewestReport(client: Database, slug: string, ownAccountId: string | null) {
  return client.report.findFirst({
    where: { vendor: { slug, ...visibleTo(ownAccountId) } },
    orderBy: { id: "desc" },
    select: publicColumns,
  });
}
export type PublicReportRow = NonNullable<Awaited<ReturnType<typeof findNewestReport>>>;

export async function findReportOfDiff(client: Database, diffId: string) {
  const newest = { select: { id: true }, orderBy: { id: "desc" }, take: 1 } as const;
  return client.report.findUnique({
    where: { diffId },
    select: {
      ...publicColumns,
      sectionsAdded: true,
      sectionsRemoved: true,
      sectionsModified: true,
      vendor: { select: { isPublic: true, accountId: true, reader: true, reports: newest } },
    },
  });
}

export async function findChangesSince(client: Database, since: Date, limit: number) {
  return client.report.findMany({
    where: { diffId: { not: null }, createdAt: { gte: since }, vendor: { isPublic: true, accountId: null } },
    select: {
      diffId: true,
      summary: true,
      significance: true,
      categories: true,
      createdAt: true,
      vendor: { select: { name: true, slug: true, domain: true } },
    },
    orderBy: { id: "desc" },
    take: limit,
  });
}
