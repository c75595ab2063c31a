export { findSession, maxSubscriptionCount, openSession, pruneSessions, sessionEnded, subscribe } from "./sessions";
export { deleteSession, deleteSubscription } from "./store";
export { maxStreamsPerKey, maxStreamsPerNetwork, takeStreamSlot } from "./stream-slots";
export { openStream } from "./streams";
export type { Session, SessionContext, TopicChange } from "./types";
