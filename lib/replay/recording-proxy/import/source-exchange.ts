import type { Provider, TimedChunk } from "#lib/replay/providers/index";
import type { Origin } from "../seal-exchange";

/** When the bytes of an answer arrived, and how that is known. */
export type Timed = Pick<Origin, "timing" | "boundary"> & { chunks: TimedChunk[]; note?: string };

/** A request and its answer in a file of another tool. */
export type SourceExchange = {
  /** Where it is in the file, such as `interaction 2`. */
  place: string;
  method: string;
  url: string;
  requestHeaders: Record<string, string>;
  requestBody: Uint8Array;
  status: number;
  headers: Record<string, string>;
  /** As it was on the wire: its `content-encoding` may still apply. */
  body: Uint8Array;
  /** Whether the file has the content of the answer, but not its bytes. */
  isRebuilt: boolean;
  /** Why there is no answer; undefined if there is one. */
  problem: string | undefined;
  /** When the answer was recorded; null if the file does not say. */
  recordedAt: Date | null;
  /** Returns the times of the answer's decoded bytes, if the file has any. */
  time?: (body: Buffer, provider: Provider, contentType: string | undefined) => Timed;
};

/** Most exchanges of a file. */
export const maxExchangeCount = 10_000;

/** Returns the time in a header or a field; null if it is none. */
export function parseDate(text: unknown): Date | null {
  const ms = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : new Date(ms);
}
