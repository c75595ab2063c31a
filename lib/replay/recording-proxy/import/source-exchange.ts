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
  /** Names of headers of the answer whose values are no text, and were left out. */
  omittedHeaders: string[];
  /** When the answer was recorded; null if the file does not say. */
  recordedAt: Date | null;
  /** Returns the times of the answer's decoded bytes, if the file has any. */
  time?: (body: Buffer, provider: Provider, contentType: string | undefined) => Timed;
};

/** An exchange of a file that cannot be read. It does not keep the others from being imported. */
export type UnreadableExchange = Pick<SourceExchange, "place"> & { unreadable: string };

export const maxExchangeCount = 10_000;

/** Returns the time in a header or a field; null if it is none. */
export function parseDate(text: unknown): Date | null {
  const ms = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : new Date(ms);
}

/** Returns the values of a header, however a serializer wrote them; undefined if they cannot be sent. */
function textsOf(value: unknown): string[] | undefined {
  if (Array.isArray(value)) {
    const texts = value.map(textsOf);
    return texts.every((each) => each !== undefined) ? texts.flat() : undefined;
  }
  const isText = ["string", "number", "boolean"].includes(typeof value) || value instanceof Number;
  const text = value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : isText ? String(value) : null;
  return text === null || /[^\t -~\x80-\xff]/.test(text) ? undefined : [text];
}

/** Returns headers by their names in lower case, and the names of those that cannot be sent. */
export function readHeaders(pairs: Iterable<readonly [string, unknown]>) {
  const headers: Record<string, string> = {};
  const omitted: string[] = [];
  for (const [name, value] of pairs) {
    const texts = textsOf(value);
    if (texts) headers[name.toLowerCase()] = texts.join(", ");
    else omitted.push(name);
  }
  return { headers, omitted };
}
