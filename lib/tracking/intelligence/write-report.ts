import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import { type DiffDetail, toDiffDetail } from "#lib/tracking/diffs/index";
import { categoryOf } from "#lib/tracking/vendors/index";
import { enqueueHighSignificance } from "#lib/tracking/webhooks/index";
import { type Analysis, minHighSignificance } from "./analysis";
import { toReport } from "./list-reports";
import type { AnalysisMode, IntelligenceReport } from "./schemas";
import {
  claimSubject,
  deleteReport,
  findReportedVendor,
  insertReport,
  type NewReport,
  type ReportedVendor,
  readDiffDetail,
  type Subject,
} from "./store";

export type WriteContext = { database: Database; clock: Clock; ids: Ids };

type Writing = {
  subject: Subject;
  analysis: Analysis;
  analyser: "rules" | "model";
  analyserVersion: string;
  mode: AnalysisMode;
  /** Whether it replaces an earlier report of the subject. */
  replaces?: boolean;
};

/** Most added links, and most removed links, in an event. */
const maxEventLinkCount = 100;

async function describeDiff({ database }: WriteContext, diffId: string): Promise<DiffDetail> {
  const { links_added, links_removed, ...detail } = toDiffDetail(await readDiffDetail(database, diffId));
  return {
    ...detail,
    links_added: links_added.slice(0, maxEventLinkCount),
    links_removed: links_removed.slice(0, maxEventLinkCount),
  };
}

/** Returns the data of the event for a report; null if the report is not of high significance. */
async function createEventData(context: WriteContext, report: NewReport, vendor: ReportedVendor) {
  if (report.significance < minHighSignificance) return null;
  const { name, slug, domain, category } = vendor;
  return {
    report: toReport({ ...report, vendor }),
    vendor: { name, slug, domain, category: categoryOf(category) },
    diff: report.diffId === null ? null : await describeDiff(context, report.diffId),
  };
}

/**
 * Stores a report and, in the same transaction, enqueues webhooks if it is of high significance. Returns null if another
 * writer was first, so that each change is reported once.
 */
export async function writeReport(context: WriteContext, writing: Writing): Promise<IntelligenceReport | null> {
  const { database, clock, ids } = context;
  const { subject, analysis, replaces = false, ...origin } = writing;
  const createdAt = clock.now();
  const report: NewReport = { id: ids.next(), ...subject, ...analysis, ...origin, createdAt };
  const vendor = await findReportedVendor(database, subject.vendorId);
  const data = replaces ? null : await createEventData(context, report, vendor);
  const isWritten = await database.$transaction(async (transaction) => {
    if (replaces) await deleteReport(transaction, subject);
    if (!(await claimSubject(transaction, subject, createdAt))) return false;
    await insertReport(transaction, report);
    const { accountId: vendorAccountId } = vendor;
    if (data) {
      await enqueueHighSignificance(transaction, { data, reportId: report.id, vendorAccountId, at: createdAt, ids });
    }
    return true;
  });
  return isWritten ? toReport({ ...report, vendor }) : null;
}
