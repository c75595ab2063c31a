export { prepareBatch } from "./batches/prepare-batch";
export { createModelAnalyser, type ModelAnalyserContext } from "./create-model-analyser";
export { promptVersion } from "./prompt";
export { type ModelSettings, usesBatches } from "./provider";
