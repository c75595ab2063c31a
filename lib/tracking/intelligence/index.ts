export { analyseChanges, findVendorReports, reanalyse } from "./analyse-changes";
export { type AnalysisContext, analyseSubject } from "./analyse-subject";
export { intelligenceEndpoints, listReportsEndpoint } from "./endpoints";
export { listReports } from "./list-reports";
export { prepareBatch } from "./model/batches/prepare-batch";
export { createModelAnalyser } from "./model/create-model-analyser";
export {
  getNewestReport,
  getReportOfDiff,
  listRecentChanges,
  type PublicReport,
  type PublicSections,
  type RecentChange,
} from "./public-reports";
export type { IntelligenceReport } from "./schemas";
export { type IntelligenceToolContext, intelligenceTools, listReportsTool } from "./tools";
