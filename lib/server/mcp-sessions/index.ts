export { deliverResponse, PendingRequests } from "./pending-requests";
export {
  endSession,
  findSession,
  maxSessionCount,
  maxSubscriptionCount,
  openSession,
  pruneSessions,
  sessionIdleMs,
  subscribe,
  unsubscribe,
} from "./sessions";
export { maxStreamCount, openStream } from "./streams";
export type { Session, SessionContext, TopicChange } from "./types";
