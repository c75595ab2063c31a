export { boundDiffText, isBoundDiffText, maxDiffTextByteSize } from "./bound-diff-text";
export { applyUnified } from "./compare/apply-unified";
export { compareTexts, type TextComparison } from "./compare/compare-texts";
export { countLines } from "./compare/count-lines";
export type { MovedBlock } from "./compare/find-moves";
export { linksOf } from "./compare/links-of";
export { type Hunk, type HunkLine, parseUnified } from "./compare/parse-unified";
export { UnifiedError } from "./compare/unified-lines";
export { latestDiffs, toDiffDetail } from "./diff-detail";
export { diffEndpoints, getDiffEndpoint, listDiffsEndpoint } from "./endpoints";
export { excerptDiffText } from "./excerpt-diff-text";
export { getDiff } from "./get-diff";
export { listDiffs } from "./list-diffs";
export { type DiffPage, getDiffPage, requirePageDiff, showsText } from "./pages/get-diff-page";
export { type LinePair, pairLines } from "./pages/pair-lines";
export type { Move, ShownHunk, ShownLine } from "./pages/show-hunks";
export { toVisible } from "./pages/visible-text";
export type { LinePart } from "./pages/word-changes";
export {
  type DiffDetail,
  diffDetailSchema,
  maxListedLinkCount,
  vendorParamsSchema,
} from "./schemas";
export { type DiffToolContext, diffTools, getDiffSummaryTool } from "./tools";
export { isCoveredBy, isSeenBy, unknownVendor, type VendorAccess } from "./vendor-access";
