export { type LimitAnswer, requestCounter } from "./counter";
export { pruneLimitWindows } from "./store";
export { clientSubject, keySubject } from "./subjects";
