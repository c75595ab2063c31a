export { type AnalysisSummary, analyseChanges, findVendorReports, reanalyse } from "./analyse-changes";
export { type AnalysisContext, analyseSubject, type ModelAnalyser } from "./analyse-subject";
export {
  type Analysis,
  type Change,
  type IntelligenceCategory,
  intelligenceCategories,
  intelligenceCategorySchema,
} from "./analysis";
export { intelligenceEndpoints, listReportsEndpoint } from "./endpoints";
export { listReports } from "./list-reports";
export { createModelAnalyser, prepareBatch } from "./model/index";
export {
  getNewestReport,
  getReportOfDiff,
  listRecentChanges,
  type PublicReport,
  type PublicSections,
  type RecentChange,
} from "./public-reports";
export { type Intelligence, type IntelligenceReport, intelligenceReportSchema } from "./schemas";
export type { Subject } from "./store";
export { type IntelligenceToolContext, intelligenceTools, listReportsTool } from "./tools";
