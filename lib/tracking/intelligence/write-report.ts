import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import { type DiffDetail, toDiffDetail } from "#lib/tracking/diffs/index";
import { categoryOf } from "#lib/tracking/vendors/index";
import { enqueueHighSignificance } from "#lib/tracking/webhooks/index";
import type { Analysis } from "./analysis";
import { toReport } from "./list-reports";
import type { AnalysisMode, IntelligenceReport } from "./schemas";
import {
  findReportedVendor,
  forgetReport,
  insertReport,
  type NewReport,
  type ReportedVendor,
  readDiffDetail,
  type Subject,
  takeSubject,
} from "./store";

export type WriteContext = { database: Database; clock: Clock; ids: Ids };

type Writing = {
  subject: Subject;
  analysis: Analysis;
  analyser: "rules" | "model";
  analyserVersion: string;
  mode: AnalysisMode;
  /** Says anew what was said already. */
  isAnew?: boolean;
};

/** From this significance on subscribers are told. */
export const highSignificance = 4;
/** Links of each side that subscribers are told of. */
const maxToldLinkCount = 100;

async function describeDiff({ database }: WriteContext, diffId: string): Promise<DiffDetail> {
  const { links_added, links_removed, ...detail } = toDiffDetail(await readDiffDetail(database, diffId));
  return {
    ...detail,
    links_added: links_added.slice(0, maxToldLinkCount),
    links_removed: links_removed.slice(0, maxToldLinkCount),
  };
}

/** What subscribers are told; null for what is of no high significance. */
async function eventData(context: WriteContext, report: NewReport, vendor: ReportedVendor) {
  if (report.significance < highSignificance) return null;
  const { name, slug, domain, category } = vendor;
  return {
    report: toReport({ ...report, vendor }),
    vendor: { name, slug, domain, category: categoryOf(category) },
    diff: report.diffId === null ? null : await describeDiff(context, report.diffId),
  };
}

/**
 * Stores a report, and with it, in the same transaction, the events for subscribers where it is of high significance.
 * Null where another writer was first: every change is told once.
 */
export async function writeReport(context: WriteContext, writing: Writing): Promise<IntelligenceReport | null> {
  const { database, clock, ids } = context;
  const { subject, analysis, isAnew = false, ...origin } = writing;
  const createdAt = clock.now();
  const report: NewReport = { id: ids.next(), ...subject, ...analysis, ...origin, createdAt };
  const vendor = await findReportedVendor(database, subject.vendorId);
  const data = isAnew ? null : await eventData(context, report, vendor);
  const isWritten = await database.$transaction(async (transaction) => {
    if (isAnew) await forgetReport(transaction, subject);
    if (!(await takeSubject(transaction, subject, createdAt))) return false;
    await insertReport(transaction, report);
    const { accountId: vendorAccountId } = vendor;
    if (data) {
      await enqueueHighSignificance(transaction, { data, reportId: report.id, vendorAccountId, at: createdAt, ids });
    }
    return true;
  });
  return isWritten ? toReport({ ...report, vendor }) : null;
}
