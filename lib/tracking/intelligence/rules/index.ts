export { analyseByRules, rulesVersion } from "./analyse-by-rules";
