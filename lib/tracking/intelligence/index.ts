export type { ModelAnalyser } from "./analyse";
export { type AnalysisSummary, analyseChanges } from "./analyse-changes";
export { type AnalysisContext, analyseSubject } from "./analyse-subject";
export {
  type Analysis,
  type Change,
  type IntelligenceCategory,
  intelligenceCategories,
  intelligenceCategorySchema,
} from "./analysis";
export { intelligenceEndpoints, listReportsEndpoint } from "./endpoints";
export { getNewestReport, getReportOfDiff, type ShownReport, type ShownSections } from "./get-shown-report";
export { listReports } from "./list-reports";
export { createModelAnalyser, prepareBatch } from "./model/index";
export { findVendorReports, reanalyse } from "./reanalyse";
export { type Intelligence, type IntelligenceReport, intelligenceReportSchema } from "./schemas";
export type { Subject } from "./store";
export { type IntelligenceToolContext, intelligenceTools, listReportsTool } from "./tools";
export { listWeek, type WeekChange } from "./week/list-week";
