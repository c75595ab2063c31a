export type { DropInContext } from "./choose-cassette";
export { describeTiming, type Pause, type Timing } from "./describe-timing";
export { discoverReplay, listModels, pickRandomReplay } from "./discover-replay";
export { countTokens, replayAnswer } from "./drop-in";
export {
  countTokensEndpoint,
  createChatCompletionEndpoint,
  createEmbeddingEndpoint,
  createMessageEndpoint,
  createOllamaChatEndpoint,
  createResponseEndpoint,
  dropInEndpoints,
  generateContentEndpoint,
  listModelsEndpoint,
} from "./drop-in-endpoints";
export {
  discoverReplayEndpoint,
  explainMatchEndpoint,
  randomReplayEndpoint,
  replayEndpoints,
  streamReplayEndpoint,
} from "./endpoints";
export { explainMatch } from "./explain-match";
export { applyFaults, eventEnds, maxStallMs, type SimulatedError, simulateError } from "./faults";
export { openRecording, openReplay, openRequestedReplay, type Replay, withSchedule } from "./open-replay";
export { pacer } from "./pacer";
export { type MatchAnswer, matchRequestSchema } from "./schemas";
export { playToResponse, playToStream } from "./sinks";
export { speedSchema } from "./speed";
export {
  getCassetteTool,
  listCassettesTool,
  type ReplayToolContext,
  randomReplayTool,
  replayCassetteTool,
  replayTools,
} from "./tools";
