export { checkUrl, isPublicAddress } from "./address-rules";
export { Connections } from "./connections";
export { checkPublicUrl, guardedFetch, outboundBounds } from "./guarded-fetch";
export { onAbort } from "./hop-limits";
export type { AroundHop, OutboundAnswer, OutboundOptions } from "./options";
export { OutboundError, type OutboundReason } from "./outbound-error";
export { requirePublicUrl } from "./require-public-url";
