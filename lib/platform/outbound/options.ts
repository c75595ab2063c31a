import type { Clock } from "#lib/platform/clock";
import type { Resolve } from "./resolve-addresses";

/** Calls `onTime` after a while; what it gives back calls that off. */
export type StartTimer = (timeoutMs: number, onTime: () => void) => () => void;

/** Surrounds each hop, the first one too: it may wait, refuse by throwing, and must send once at most. */
export type AroundHop = <T>(url: URL, send: () => Promise<T>) => Promise<T>;

export type OutboundOptions = {
  method?: "GET" | "POST";
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Longest wait for a hop's headers, from its look-up on. Default: 10 s. */
  headersTimeoutMs?: number;
  /** Longest time of all hops together, without what `aroundHop` waits. Default: 30 s. */
  totalTimeoutMs?: number;
  /** A moment on the clock's `monotonicMs` that no hop outlasts. Default: none. */
  deadlineMs?: number;
  /** Bound of the body, both as it comes and after decompression. Default: 10 MiB. */
  maxBodyByteSize?: number;
  /** What a decompressed body that passes its bound does: fail, or end there. Default: `fail`. */
  overflow?: "fail" | "truncate";
  /** Whether the body that comes with a status is read; else it is left and given as empty. Default: always. */
  wantsBody?: (status: number) => boolean;
  /** Redirects that are followed; with 0 a redirect is an answer like another. Default: 5. */
  maxRedirects?: number;
  signal?: AbortSignal;
  aroundHop?: AroundHop;
  /** `host:port` pairs that are exempt from the address rule. Default: `OUTBOUND_ALLOWED_HOSTS`. */
  allowedHosts?: readonly string[];
  resolve?: Resolve;
  clock?: Clock;
  startTimer?: StartTimer;
};

export type OutboundAnswer = {
  status: number;
  /** By lower-case name; repeated ones are joined with commas. */
  headers: Record<string, string>;
  /** Where the answer came from, after redirects. */
  url: string;
  /** Decompressed. */
  body: Uint8Array;
  /** Requests that were sent, redirects included. */
  requestCount: number;
  /** From the first look-up to the last byte, without what `aroundHop` waited. */
  responseTimeMs: number;
};
