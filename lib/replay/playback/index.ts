export { applyFaults, delayResponse, maxFaultCount, maxStallMs } from "./answer-faults";
export { openAnswer } from "./answer-form";
export type { DropInContext } from "./choose-cassette";
export { describeTiming, type Pause, type Timing } from "./describe-timing";
export { discoverReplay, pickRandomReplay } from "./discover-replay";
export { countTokens, replayAnswer } from "./drop-in";
export { createMessageEndpoint, dropInEndpoints } from "./drop-in-endpoints";
export { ollamaShowBodySchema } from "./drop-in-schemas";
export {
  discoverReplayEndpoint,
  explainMatchEndpoint,
  randomReplayEndpoint,
  replayEndpoints,
  streamReplayEndpoint,
} from "./endpoints";
export {
  callBedrockEndpoint,
  countGeminiTokensEndpoint,
  countTokensEndpoint,
  recordedCallEndpoint,
  retrieveResponseEndpoint,
  showOllamaModelEndpoint,
} from "./exact-endpoints";
export { explainMatch } from "./explain-match";
export { type SimulatedError, simulateError } from "./faults";
export { getModel, listModels, ollamaVersion, showOllamaModel } from "./list-models";
export {
  getGeminiModelEndpoint,
  getModelEndpoint,
  getOllamaVersionEndpoint,
  listGeminiModelsEndpoint,
  listModelsEndpoint,
  listOllamaModelsEndpoint,
} from "./model-endpoints";
export { openRecording, type Replay } from "./open-replay";
export { openRequestedReplay } from "./open-requested-replay";
export { pacer } from "./pacer";
export { replayCall, retrieveResponse } from "./recorded-calls";
export { type MatchAnswer, matchRequestSchema } from "./schemas";
export { cutOff, isClosed, playToResponse, playToStream, wasCut } from "./sinks";
export { speedSchema } from "./speed";
export {
  getCassetteTool,
  listCassettesTool,
  type ReplayToolContext,
  randomReplayTool,
  replayCassetteTool,
  replayTools,
} from "./tools";
