export { analyseOne, findUnanalysed, findVendorReports, reanalyse } from "./analyse-changes";
export { type AnalysisContext, analyseStored } from "./analyse-subject";
export { type Change, isBlockedChange } from "./analysis";
export { intelligenceEndpoints, listReportsEndpoint } from "./endpoints";
export { createModelAnalyser } from "./model/create-model-analyser";
export {
  getNewestReport,
  getReportOfDiff,
  listRecentChanges,
  listReports,
  type PublicReport,
  type PublicSections,
  type RecentChange,
} from "./read-reports";
export type { IntelligenceReport } from "./schemas";
export type { Subject } from "./store";
export { intelligenceTools, listReportsTool } from "./tools";
