export { passAnswer, Questions } from "./answers";
export {
  endSession,
  findSession,
  maxSessionCount,
  openSession,
  pruneSessions,
  type Session,
  type SessionContext,
  sessionIdleMs,
} from "./session";
export { type Arrival, maxStreamCount, openStream } from "./streams";
export { maxSubscriptionCount, subscribe, unsubscribe } from "./subscribe";
