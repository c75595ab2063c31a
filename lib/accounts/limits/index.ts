export { clientSubject, keySubject } from "./client-subject";
export { countRequest, type LimitAnswer } from "./count-request";
export type { LimitStore } from "./store";
export { limitStore, pruneLimitWindows } from "./store";
