export { clientSubject, countRequest, keySubject, type LimitAnswer } from "./count-request";
export type { LimitStore } from "./store";
export { limitStore, pruneLimitWindows } from "./store";
