export { clientSubject, countRequest, keySubject, type LimitAnswer, networkOf } from "./count-request";
export type { LimitStore } from "./store";
export { limitStore, pruneLimitWindows } from "./store";
