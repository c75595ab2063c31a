import { decompressText } from "#lib/platform/compress-text";
import type { Database, Transaction } from "#lib/platform/database/index";
import type { Analysis, Change, IntelligenceCategory } from "./analysis";
import type { AnalysisMode } from "./schemas";

const vendorColumns = { select: { id: true, name: true, slug: true, domain: true, category: true, accountId: true } };

export type ReportRow = {
  id: string;
  vendor: { name: string; slug: string; domain: string };
  summary: string;
  significance: number;
  categories: string[];
  sectionsAdded: string[];
  sectionsRemoved: string[];
  sectionsModified: string[];
  keyQuotes: string[];
  byteSizeChangePct: number;
  mode: AnalysisMode;
  createdAt: Date;
};

type ReportFilter = {
  slug: string | undefined;
  category: IntelligenceCategory | undefined;
  minSignificance: number;
  since: Date | null;
  /** Only reports with a smaller id. */
  before: string | null;
  limit: number;
  /** The account whose own vendors are shown too. */
  accountId: string | null;
};

/** Reports by their age, the newest first. */
export async function findReports(client: Database, filter: ReportFilter): Promise<ReportRow[]> {
  const { slug, category, minSignificance, since, before, limit, accountId } = filter;
  const owners = [{ accountId: null }, ...(accountId === null ? [] : [{ accountId }])];
  return client.report.findMany({
    where: {
      vendor: { ...(slug !== undefined && { slug }), OR: owners },
      significance: { gte: minSignificance },
      ...(category && { categories: { has: category } }),
      ...(since && { createdAt: { gte: since } }),
      ...(before !== null && { id: { lt: before } }),
    },
    include: { vendor: vendorColumns },
    orderBy: { id: "desc" },
    take: limit,
  });
}

/** What a report is about: a change, a vendor's first version, or a file that is gone. */
export type Subject = { vendorId: string; snapshotId: string | null; diffId: string | null };

/** Changes that nobody has analysed yet, the oldest first, from an id on. */
export async function findUnanalysed(client: Database, after: string | null, limit: number): Promise<Subject[]> {
  const diffs = await client.diff.findMany({
    where: { analysedAt: null, ...(after && { id: { gt: after } }) },
    select: { id: true, vendorId: true, currentSnapshotId: true },
    orderBy: { id: "asc" },
    take: limit,
  });
  return diffs.map(({ id, vendorId, currentSnapshotId }) => ({ vendorId, snapshotId: currentSnapshotId, diffId: id }));
}

/** Vendors with a single version so far, of which there is no report. */
export async function findUnanalysedFirsts(client: Database, after: string | null, limit: number): Promise<Subject[]> {
  const vendors = await client.vendor.findMany({
    where: {
      ...(after && { id: { gt: after } }),
      latestDiffId: null,
      latestSnapshot: { reports: { none: {} }, diffToPrevious: null },
    },
    select: { id: true, latestSnapshotId: true },
    orderBy: { id: "asc" },
    take: limit,
  });
  return vendors.map(({ id, latestSnapshotId }) => ({ vendorId: id, snapshotId: latestSnapshotId, diffId: null }));
}

/** Failures that say that a file is gone. */
const goneFailures = ["http_404", "http_410"];
/** Fetches in a row that must say so. */
const goneFetchCount = 3;

/** Vendors whose file is gone, of which no report says so yet. */
export async function findGone(client: Database): Promise<Subject[]> {
  const failing = await client.vendor.findMany({
    where: { failureCount: { gte: goneFetchCount }, latestSnapshotId: { not: null } },
    select: {
      ...{ id: true, failingSince: true },
      fetches: { select: { failure: true }, orderBy: { id: "desc" }, take: goneFetchCount },
      reports: { select: { createdAt: true }, where: { snapshotId: null }, orderBy: { id: "desc" }, take: 1 },
    },
  });
  return failing
    .filter(({ fetches }) => fetches.every(({ failure }) => failure !== null && goneFailures.includes(failure)))
    .filter(({ failingSince, reports: [last] }) => !last || (failingSince !== null && last.createdAt < failingSince))
    .map(({ id }) => ({ vendorId: id, snapshotId: null, diffId: null }));
}

export type ReportedVendor = {
  id: string;
  name: string;
  slug: string;
  domain: string;
  category: Parameters<typeof import("#lib/tracking/vendors/index").categoryOf>[0];
  accountId: string | null;
};

export async function findReportedVendor(client: Database, vendorId: string): Promise<ReportedVendor> {
  return client.vendor.findUniqueOrThrow({ where: { id: vendorId }, ...vendorColumns });
}

/** What an analyser reads of a version: its text, and the change that led to it. */
export async function readChange(client: Database, { snapshotId, diffId }: Subject): Promise<Change> {
  const content = { select: { compressed: true } };
  const snapshot = await client.snapshot.findUniqueOrThrow({
    where: { id: snapshotId ?? "" },
    select: { securityScore: true, content, vendor: { select: { name: true, domain: true } } },
  });
  const { vendor, securityScore } = snapshot;
  const after = await decompressText(snapshot.content.compressed);
  if (diffId === null) return { before: null, after, ...vendor, comparison: null, securityScore };
  const { previousSnapshot, compressedText, ...counts } = await client.diff.findUniqueOrThrow({
    where: { id: diffId },
    select: {
      ...{ linesAdded: true, linesRemoved: true, linesMoved: true, linksAdded: true, linksRemoved: true, exact: true },
      ...{ compressedText: true, previousSnapshot: { select: { content } } },
    },
  });
  const before = await decompressText(previousSnapshot.content.compressed);
  const comparison = { ...counts, text: await decompressText(compressedText) };
  return { before, after, ...vendor, comparison, securityScore };
}

/** Of a change, what subscribers are told beside the report. */
export async function readDiffDetail(client: Database, diffId: string) {
  return client.diff.findUniqueOrThrow({ where: { id: diffId }, omit: { compressedText: true } });
}

export type NewReport = Analysis &
  Subject & {
    id: string;
    mode: AnalysisMode;
    analyser: "rules" | "model";
    analyserVersion: string;
    createdAt: Date;
  };

/**
 * Takes a subject for the one report that it gets; false where another writer was first. Waits for another writer of
 * the same vendor.
 */
export async function takeSubject(transaction: Transaction, subject: Subject, at: Date): Promise<boolean> {
  const { vendorId, snapshotId, diffId } = subject;
  if (diffId !== null) {
    const { count } = await transaction.diff.updateMany({
      where: { id: diffId, analysedAt: null },
      data: { analysedAt: at },
    });
    return count === 1;
  }
  await transaction.$queryRaw`SELECT id FROM vendors WHERE id = ${vendorId}::uuid FOR UPDATE`;
  if (snapshotId !== null) return (await transaction.report.count({ where: { snapshotId } })) === 0;
  const { failingSince } = await transaction.vendor.findUniqueOrThrow({ where: { id: vendorId } });
  if (failingSince === null) return false;
  const reported = { vendorId, snapshotId: null, createdAt: { gte: failingSince } };
  return (await transaction.report.count({ where: reported })) === 0;
}

/** Forgets what was said of a change, so that it can be said anew. */
export async function forgetReport(transaction: Transaction, { snapshotId, diffId }: Subject): Promise<void> {
  if (diffId !== null) {
    await transaction.report.deleteMany({ where: { diffId } });
    await transaction.diff.updateMany({ where: { id: diffId }, data: { analysedAt: null } });
  } else if (snapshotId !== null) await transaction.report.deleteMany({ where: { snapshotId, diffId: null } });
}

export async function insertReport(transaction: Transaction, report: NewReport): Promise<void> {
  await transaction.report.create({ data: report, select: { id: true } });
}

/** The latest version of a vendor, as the subject of a report; null where there is no such vendor, or no version. */
export async function findLatestSubject(client: Database, slug: string): Promise<Subject | null> {
  const vendor = await client.vendor.findUnique({ where: { slug } });
  if (!vendor?.latestSnapshotId) return null;
  return { vendorId: vendor.id, snapshotId: vendor.latestSnapshotId, diffId: vendor.latestDiffId };
}

/** A vendor's reports, whoever may see them, the newest first; null where there is no such vendor. */
export async function findReportsOf(client: Database, slug: string, limit: number): Promise<ReportRow[] | null> {
  const vendor = await client.vendor.findUnique({ where: { slug }, select: { id: true } });
  if (!vendor) return null;
  const include = { vendor: vendorColumns };
  return client.report.findMany({ where: { vendorId: vendor.id }, include, orderBy: { id: "desc" }, take: limit });
}

const shownColumns = { id: true, summary: true, significance: true, createdAt: true, diffId: true } as const;

/** The newest report of a vendor that everybody sees, in short. */
export async function findNewestReport(client: Database, slug: string) {
  return client.report.findFirst({
    where: { vendor: { slug, accountId: null } },
    orderBy: { id: "desc" },
    select: shownColumns,
  });
}
export type ShownReportRow = NonNullable<Awaited<ReturnType<typeof findNewestReport>>>;

/** The report of a change, with what decides who is shown it, and the vendor's newest report. */
export async function findReportOfDiff(client: Database, diffId: string) {
  const newest = { select: { id: true }, orderBy: { id: "desc" }, take: 1 } as const;
  return client.report.findUnique({
    where: { diffId },
    select: {
      ...{ ...shownColumns, sectionsAdded: true, sectionsRemoved: true, sectionsModified: true },
      vendor: { select: { isPublic: true, accountId: true, reports: newest } },
    },
  });
}

/** The newest reports of changes of public vendors since then. */
export async function findChangesSince(client: Database, since: Date, limit: number) {
  return client.report.findMany({
    where: { diffId: { not: null }, createdAt: { gte: since }, vendor: { isPublic: true, accountId: null } },
    select: {
      ...{ diffId: true, summary: true, significance: true, categories: true, createdAt: true },
      vendor: { select: { name: true, slug: true, domain: true } },
    },
    orderBy: { id: "desc" },
    take: limit,
  });
}
