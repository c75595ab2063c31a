import { maxCassetteByteSize, maxChunkCount, maxDurationMs } from "../format";
import type { Waits } from "./send";

/** Limits of one recording. */
export type RecordLimits = Waits & {
  /** Bytes of the decoded body. */
  maxBodyByteSize: number;
  maxChunkCount: number;
  /** Timeout of the whole recording. */
  totalTimeoutMs: number;
};

/** The timeouts before the first byte add up to less than ten minutes; providers send pings several times a minute. */
export const recordLimits: RecordLimits = {
  maxBodyByteSize: maxCassetteByteSize,
  maxChunkCount,
  connectTimeoutMs: 15_000,
  headersTimeoutMs: 240_000,
  idleTimeoutMs: 240_000,
  totalTimeoutMs: maxDurationMs,
};
