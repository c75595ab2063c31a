import type { Clock } from "#lib/platform/clock";
import type { StartTimer } from "#lib/platform/timer";
import type { Resolve } from "./address-rules";
import type { Connections } from "./connections";

/** Wraps each hop, including the first. It may wait or throw, and must call `send` at most once. */
export type AroundHop = <T>(url: URL, send: () => Promise<T>) => Promise<T>;

export type OutboundOptions = {
  method?: "GET" | "POST";
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Maximum time until a hop's headers arrive, including its DNS lookup. Default: 10 s. */
  headersTimeoutMs?: number;
  /** Maximum time of all hops together, without the waits of `aroundHop`. Default: 30 s. */
  totalTimeoutMs?: number;
  /** Deadline of all hops, on the clock's `monotonicMs`. Default: none. */
  deadlineMs?: number;
  /** Maximum size of the body, both before and after decompression. Default: 10 MiB. */
  maxBodyByteSize?: number;
  /** Whether a larger decompressed body fails or is truncated. Default: `fail`. */
  overflow?: "fail" | "truncate";
  /** Whether to read the body of a response with a status; otherwise the body is empty. Default: always. */
  wantsBody?: (status: number) => boolean;
  /** Maximum redirects to follow. With 0, redirects are returned like other responses. Default: 5. */
  maxRedirects?: number;
  signal?: AbortSignal;
  /** Connections to use again, which the caller closes. Default: each request opens and closes its own. */
  connections?: Connections;
  aroundHop?: AroundHop;
  /** `host:port` pairs that are exempt from the address rules. Default: `OUTBOUND_ALLOWED_HOSTS`. */
  allowedHosts?: readonly string[];
  resolve?: Resolve;
  clock?: Clock;
  startTimer?: StartTimer;
};

export type OutboundAnswer = {
  status: number;
  /** By lower-case name. Repeated headers are joined with commas. */
  headers: Record<string, string>;
  /** Final URL, after redirects. */
  url: string;
  /** Decompressed. */
  body: Uint8Array;
  /** Requests sent, including redirects. */
  requestCount: number;
  /** Milliseconds from the first DNS lookup to the last byte, without the waits of `aroundHop`. */
  responseTimeMs: number;
};
