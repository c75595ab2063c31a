export { countInMinute, maxManagedPerMinute } from "./count-in-minute";
export { countMail, maxMailsPerMailbox, maxMailsPerSender } from "./count-mail";
export { type LimitAnswer, requestCounter } from "./counter";
export { databaseStore, pruneLimitWindows, tryRedis } from "./store";
export { clientSubject, keySubject } from "./subjects";
