export { applyUnified } from "./compare/apply-unified";
export { compareTexts, type TextComparison } from "./compare/compare-texts";
export { countLines } from "./compare/count-lines";
export type { MovedBlock } from "./compare/find-moves";
export { linksOf } from "./compare/links-of";
export { type Hunk, type HunkLine, parseUnified } from "./compare/parse-unified";
export { UnifiedError } from "./compare/unified-lines";
