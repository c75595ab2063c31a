import type { TimedChunk } from "../integrity";
import type { Provenance } from "../schemas";

/** A capture that is being read: its file's name, for messages and provenance, and its bytes. */
export type Capture = { file: string; bytes: Buffer };

export type ReadOptions = {
  /** Delay of every chunk, in milliseconds, in place of what the capture or the model says. */
  chunkMs?: number;
  /** Number, from 1, of the HAR entry or aimock fixture. */
  entry?: number;
};

/** What a capture holds, in the terms of a cassette. */
export type ImportedStream = {
  chunks: TimedChunk[];
  status: number;
  headers: Record<string, string>;
  /** The request's body; empty where the capture does not hold it. */
  body: Record<string, unknown>;
  timing: Provenance["timing"];
  boundary: Provenance["boundary"];
  source: Provenance["source"];
};

export const streamHeaders = { "content-type": "text/event-stream; charset=utf-8" };
