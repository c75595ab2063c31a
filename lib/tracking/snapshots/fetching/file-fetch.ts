import type { Clock } from "#lib/platform/clock";
import type { guardedFetch, OutboundReason } from "#lib/platform/outbound/index";
import type { HostGate } from "./host-gate";
import type { RobotsCache } from "./robots-cache";

/** Why a fetch gave no file, for a program. */
export type FetchFailure =
  | "http_404"
  | "http_410"
  | "http_429"
  /** Any other 4xx. */
  | "http_4xx"
  | "http_5xx"
  /** A status that does not fit the request, such as a 304 to an unconditional one, or a redirect to nowhere. */
  | "http_unexpected"
  /** By its type or its bytes the answer is no text. */
  | "not_text"
  /** An HTML page in place of the file, whatever its status and type say. */
  | "html"
  /** Nothing, or nothing but white space. */
  | "empty"
  /** The vendor's robots.txt, or that of a redirect's target, asks not to be fetched. */
  | "robots_disallowed"
  /** robots.txt could not be read, so nothing may be fetched for now. */
  | "robots_unreachable"
  /** This run's own time was over; it says nothing about the vendor. */
  | "deadline"
  /** The headers or the body did not come in time. */
  | "timeout"
  /** As the guarded fetch gives them. */
  | Exclude<OutboundReason, "headers_timeout" | "timeout">;

/** What is known of a file; the validators are those of its last good answer. */
export type FileRequest = { url: string; etag: string | null; lastModified: string | null };

export type FetchContext = {
  fetch: typeof guardedFetch;
  /** The whole `User-Agent`, with a URL that says who this is. */
  userAgent: string;
  /** Shared by the fetches of a run. */
  robots: RobotsCache;
  /** Shared by the fetches of a run. */
  hosts: HostGate;
  clock: Clock;
  /** Waits; may reject where the signal is aborted. */
  sleep: (waitMs: number, signal?: AbortSignal) => Promise<unknown>;
  /** From 0 to 1, 1 excluded. */
  random: () => number;
  /** A moment on the clock's `monotonicMs` that nothing here outlasts. */
  deadlineMs: number;
  signal?: AbortSignal;
};

type Validators = {
  etag: string | null;
  lastModified: string | null;
};

type Measures = {
  /** Of the last attempt, from the first look-up to the last byte. */
  responseTimeMs: number;
  /** Requests for the file that were sent, retries and redirects included; those for robots.txt are not counted. */
  requestCount: number;
};

/** What came of fetching one file. */
export type FileFetch =
  | ({
      kind: "content";
      /** With its byte-order mark, if it has one in UTF-8: its UTF-8 bytes are then those of the file. */
      text: string;
      /** Of the body, decompressed. */
      byteSize: number;
      httpStatus: number;
    } & Validators &
      Measures)
  | ({ kind: "not_modified"; httpStatus: 304 } & Validators & Measures)
  | {
      kind: "failed";
      failure: FetchFailure;
      /** For operators: names the host and what happened. */
      detail: string;
      httpStatus: number | null;
      responseTimeMs: number | null;
      requestCount: number;
      /** How long the vendor asked to be left alone, 24 h at most; null where it did not. */
      retryAfterMs: number | null;
    };

export type FailedFetch = Extract<FileFetch, { kind: "failed" }>;
