export { clientSubject, keySubject } from "./client-subject";
export { countRequest, type LimitAnswer } from "./count-request";
export { limitStore, pruneLimitWindows } from "./store";
export type { LimitStore } from "./stores/store";
