export { answerDiffText, withheldDiffText } from "./answer-diff-text";
export { compareTexts, type TextComparison } from "./compare/compare-texts";
export { findLinks } from "./compare/links";
export { applyUnified, type HunkLine, parseUnified, UnifiedError } from "./compare/read-unified";
export { countLines } from "./compare/text-lines";
export { type ComputedDiff, computeDiff } from "./compute-diff";
export { diffEndpoints, getDiffEndpoint, listDiffsEndpoint } from "./endpoints";
export { type DiffPage, getDiffPage, requirePageDiff } from "./pages/get-diff-page";
export { flagLines, type ShownDiffText, showDiffText } from "./pages/show-diff-text";
export {
  type LinePair,
  type LinePart,
  type Move,
  pairLines,
  type ShownHunk,
  type ShownLine,
  shortenLine,
  toVisible,
} from "./pages/show-hunks";
export { getDiff, latestDiffs, listDiffs, toDiffDetail } from "./read-diffs";
export { type DiffDetail, diffDetailSchema, maxListedLinkCount } from "./schemas";
export { excerptDiffText, isTruncatedDiffText, maxDiffTextByteSize, truncateDiffText } from "./shorten-diff-text";
export {
  type DiffToolContext,
  diffTools,
  getDiffSummaryTool,
  maxToolTextLength,
  toolLinkFields,
  toToolLinks,
} from "./tools";
