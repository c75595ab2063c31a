export { countTerms, scoreBm25, type TermCounts } from "./bm25";
export { tokenize } from "./tokenize";
