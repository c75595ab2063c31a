export { describeTiming, type Pause, type Timing } from "./describe-timing";
export { discoverReplay, pickRandomReplay } from "./discover-replay";
export {
  createMessageEndpoint,
  discoverReplayEndpoint,
  randomReplayEndpoint,
  replayEndpoints,
  streamReplayEndpoint,
} from "./endpoints";
export { eventStreamType, openRecording, openReplay, openRequestedReplay, type Replay } from "./open-replay";
export { pacer } from "./pacer";
export { replayMessage } from "./replay-message";
export { speedSchema } from "./schemas";
export { playToResponse, playToStream } from "./sinks";
export {
  getCassetteTool,
  listCassettesTool,
  type ReplayToolContext,
  randomReplayTool,
  replayCassetteTool,
  replayTools,
} from "./tools";
