export { deliverResponse, PendingRequests } from "./pending-requests";
export {
  endSession,
  findSession,
  maxSubscriptionCount,
  openSession,
  pruneSessions,
  subscribe,
  unsubscribe,
} from "./sessions";
export { maxStreamCount, maxStreamsPerKey, maxStreamsPerNetwork, takeStreamSlot } from "./stream-slots";
export { openStream } from "./streams";
export type { Session, SessionContext, TopicChange } from "./types";
