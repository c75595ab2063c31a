import { maxCassetteByteSize, maxChunkCount, maxDurationMs } from "../schemas";

/** Bounds of one recording. */
export type RecordLimits = {
  /** Bytes of the body, decoded. */
  maxBodyByteSize: number;
  maxChunkCount: number;
  /** Wait for a connection. */
  connectTimeoutMs: number;
  /** Wait for the answer's headers, from the sending of the request. */
  headersTimeoutMs: number;
  /** Longest silence between two reads; a provider pings several times a minute. */
  idleTimeoutMs: number;
  /** The whole recording. */
  totalTimeoutMs: number;
};

/** The two waits before the first byte together stay below the ten minutes that a chunk's delay may last. */
export const recordLimits: RecordLimits = {
  maxBodyByteSize: maxCassetteByteSize,
  maxChunkCount,
  connectTimeoutMs: 15_000,
  headersTimeoutMs: 240_000,
  idleTimeoutMs: 240_000,
  totalTimeoutMs: maxDurationMs,
};
