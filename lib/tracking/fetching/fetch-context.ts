import type { Clock } from "#lib/platform/clock";
import type { guardedFetch } from "#lib/platform/outbound/index";
import type { FetchFailure } from "./fetch-failure";
import type { HostGate } from "./host-gate";
import type { RobotsCache } from "./robots-cache";

/** A file to fetch, text by default, else JSON or YAML; the validators are those of its last successful response. */
export type FileRequest = { url: string; etag: string | null; lastModified: string | null; isData?: boolean };

export type FetchContext = {
  fetch: typeof guardedFetch;
  /** The whole `User-Agent`, with a URL that identifies this service. */
  userAgent: string;
  /** Shared by the fetches of a run. */
  robots: RobotsCache;
  /** Shared by the fetches of a run. */
  hosts: HostGate;
  clock: Clock;
  /** May reject if the signal is aborted. */
  sleep: (waitMs: number, signal?: AbortSignal) => Promise<unknown>;
  /** Returns a number from 0 to 1, excluding 1. */
  random: () => number;
  /** Time on the clock's `monotonicMs` at which every fetch ends. */
  deadlineMs: number;
  signal?: AbortSignal;
};

type Validators = { etag: string | null; lastModified: string | null };

type Measurements = {
  /** Of the last attempt, from the first DNS lookup to the last byte. */
  responseTimeMs: number;
  /** Requests sent for the file, including retries and redirects but not those for robots.txt. */
  requestCount: number;
};

/** Result of fetching one file. */
export type FileFetch =
  | ({
      kind: "content";
      /** Includes a UTF-8 byte-order mark, so that the text's UTF-8 bytes equal those of the file. */
      text: string;
      /** Of the decompressed body. */
      byteSize: number;
      httpStatus: number;
    } & Validators &
      Measurements)
  | ({ kind: "not_modified"; httpStatus: 304 } & Validators & Measurements)
  | {
      kind: "failed";
      failure: FetchFailure;
      /** For operators: names the host and what happened. */
      detail: string;
      httpStatus: number | null;
      responseTimeMs: number | null;
      requestCount: number;
      /** Wait that the vendor requested, 24 h at most; null if it did not. */
      retryAfterMs: number | null;
    };

export type FailedFetch = Extract<FileFetch, { kind: "failed" }>;
