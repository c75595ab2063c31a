export { discoverReplay, pickRandomReplay } from "./discover-replay";
export {
  createMessageEndpoint,
  discoverReplayEndpoint,
  randomReplayEndpoint,
  replayEndpoints,
  streamReplayEndpoint,
} from "./endpoints";
export { replayMessage } from "./messages/replay-message";
export { eventStreamType, openRecording, openReplay, type Replay } from "./open-replay";
export { pacer } from "./pacer";
export { playToResponse } from "./play-to-response";
export { playToStream } from "./play-to-stream";
export { describeTiming, type Pause, type Timing } from "./player/describe-timing";
export { speedSchema } from "./schemas";
export {
  getCassetteTool,
  listCassettesTool,
  type ReplayToolContext,
  randomReplayTool,
  replayCassetteTool,
  replayTools,
} from "./tools";
