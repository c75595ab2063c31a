import { existingSingleton, processSingleton } from "./process-singleton";

/** How a stream ended: played to its end, cut off as recorded, cut off as its reader stalled, or left by its reader. */
export type StreamOutcome = "complete" | "truncated" | "stalled" | "disconnected";

/** What refused a request: a limit of a key, an address, checkouts or confirmation mails, the count during an outage, or a bound of this process. */
export type RefusalKind =
  | "key"
  | "address"
  | "checkout"
  | "mail"
  | "outage"
  | "open_requests"
  | "pages"
  | "connections";

/** Told what happens in this process. Its functions are called on hot paths, and must not throw. */
export type Observer = {
  /** A request was answered; for a stream, up to its head. `endpoint` is an endpoint's id, `page` or `none`. */
  answered(endpoint: string, method: string, status: number, durationMs: number): void;
  refused(kind: RefusalKind): void;
  /** An event of the payment provider arrived; `rejected`: its signature or its body is not valid. */
  paymentEvent(outcome: "accepted" | "rejected"): void;
  streamStarted(): void;
  streamEnded(outcome: StreamOutcome): void;
  /** A chunk was written this much after it was due. */
  chunkWritten(latenessMs: number): void;
};

const name = "observer";

/** Returns the observer of this process; undefined if nothing is observed. */
export function observer(): Observer | undefined {
  return existingSingleton<Observer>(name);
}

/** Sets the observer of this process, once, before it serves requests. */
export function observe(create: () => Observer): void {
  processSingleton(name, create);
}
