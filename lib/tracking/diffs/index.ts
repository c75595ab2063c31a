export { type ComputedDiff, compareTexts, computeDiff, type TextComparison } from "./compare/compare-texts";
export { findLinks } from "./compare/links";
export { type HunkLine, parseUnified, UnifiedError } from "./compare/read-unified";
export { countLines } from "./compare/text-lines";
export { diffEndpoints, exampleDiff, getDiffEndpoint, listDiffsEndpoint } from "./endpoints";
export {
  type DiffPage,
  flagLines,
  getDiffPage,
  requirePageDiff,
  type ShownDiffText,
  showDiffText,
} from "./pages/get-diff-page";
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
export { answerDiffText, getDiff, latestDiffs, listDiffs, toDiffDetail, withheldDiffText } from "./read-diffs";
export { type DiffDetail, diffDetailSchema, maxListedLinkCount } from "./schemas";
export { excerptDiffText, isTruncatedDiffText, maxDiffTextByteSize, truncateDiffText } from "./shorten-diff-text";
export { diffTools, getDiffSummaryTool, maxToolTextLength, toolLinkFields, toToolLinks } from "./tools";
