import { maxCassetteByteSize, maxChunkCount, maxDurationMs } from "../format";

/** Limits of one recording. */
export type RecordLimits = {
  /** Bytes of the decoded body. */
  maxBodyByteSize: number;
  maxChunkCount: number;
  /** Timeout of the connection. */
  connectTimeoutMs: number;
  /** Timeout of the response headers, from the request. */
  headersTimeoutMs: number;
  /** Timeout between two reads; providers send pings several times a minute. */
  idleTimeoutMs: number;
  /** Timeout of the whole recording. */
  totalTimeoutMs: number;
};

/** The timeouts before the first byte add up to less than ten minutes, the longest delay of a chunk. */
export const recordLimits: RecordLimits = {
  maxBodyByteSize: maxCassetteByteSize,
  maxChunkCount,
  connectTimeoutMs: 15_000,
  headersTimeoutMs: 240_000,
  idleTimeoutMs: 240_000,
  totalTimeoutMs: maxDurationMs,
};
