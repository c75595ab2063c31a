import { parseBoundedJson } from "#lib/platform/bounded-json";
import { withoutPointers } from "#lib/platform/json-pointer";
import { hashJson, objectOf, type RequestBody } from "#lib/replay/cassettes/index";
import { openaiResponses, type TimedChunk } from "#lib/replay/providers/index";
import { compareTimes } from "../moved-times";
import type { RunPlace } from "../run-place";
import { findFailed, type TapeRequest } from "../tape-request";
import { replaceVolatileText } from "../volatile-text";

/** A message of a WebSocket: `json` if its text is JSON, `s` for any other text, `b` for bytes in base64. */
export type Message = { json: unknown } | { s: string } | { b: string };

/** Returns a message that came over a WebSocket. */
export function encodeMessage(data: Buffer, isBinary: boolean): Message {
  if (isBinary) return { b: data.toString("base64") };
  const text = data.toString("utf8");
  try {
    return { json: parseBoundedJson(text) };
  } catch {
    return { s: text };
  }
}

/** Returns the body of the request that opens a WebSocket, as it is stored: with what the client sent after it. */
export function bodyOf(messages: readonly Message[]): Uint8Array {
  return Buffer.from(JSON.stringify({ websocket: messages }));
}

/** Returns what a client sent over a WebSocket; null if the request opened none. */
export function messagesOf({ body }: { body: RequestBody }): readonly Message[] | null {
  const messages = objectOf(body)?.websocket;
  return Array.isArray(messages) ? (messages as Message[]) : null;
}

/** What the server did once it had `after` messages of the client: it sent a message, or closed the connection. */
export type ServerStep = { after: number } & (
  | { data: string | Buffer; close?: undefined }
  | { data?: undefined; close: { code: number; reason: string } }
);

/** Returns a step as a line of the recorded body. JSON stays as the server wrote it. */
export function stepLine(after: number, data: Buffer, isBinary: boolean): Uint8Array {
  const message = encodeMessage(data, isBinary);
  const text = data.toString("utf8");
  const isVerbatim = "json" in message && !/[\r\n]/.test(text);
  const [name, value] = isVerbatim ? ["json", text] : isBinary ? ["b", data.toString("base64")] : ["s", text];
  return Buffer.from(`{"after":${after},"${name}":${isVerbatim ? value : JSON.stringify(value)}}\n`);
}

export function closeLine(after: number, code: number, reason: string): Uint8Array {
  return Buffer.from(`${JSON.stringify({ after, close: { code, reason } })}\n`);
}

/** Reads a recorded body: its steps, each with the milliseconds since what happened before it. */
export function readSteps(chunks: readonly TimedChunk[]): (ServerStep & { deltaMs: number })[] {
  return chunks.flatMap(({ deltaMs, bytes }): (ServerStep & { deltaMs: number })[] => {
    const line = Buffer.from(bytes).toString("utf8");
    const [, after, name, value = ""] = /^\{"after":(\d+),"(json|s|b|close)":(.*)\}\n$/s.exec(line) ?? [];
    const step = { after: Number(after), deltaMs };
    if (name === "json") return [{ ...step, data: value }];
    if (name === "s") return [{ ...step, data: JSON.parse(value) as string }];
    if (name === "b") return [{ ...step, data: Buffer.from(JSON.parse(value) as string, "base64") }];
    if (name === "close") return [{ ...step, close: JSON.parse(value) as { code: number; reason: string } }];
    return [];
  });
}

/** What of a message is compared; with `place`, not the folder, the home directory and the day of its run. */
export type MessageMatching = {
  volatile: readonly string[];
  volatileText: readonly RegExp[];
  place?: RunPlace | undefined;
};

/** Fields of events that clients make up. */
const ownFields = ["/event_id", "/item/id", "/client_metadata"];

/** Returns the pointers of what tools returned. */
function toolResults(json: Record<string, unknown>): string[] {
  const item = json.item as { type?: unknown } | undefined;
  return [...openaiResponses.toolResults(json), ...(item?.type === "function_call_output" ? ["/item/output"] : [])];
}

/** Returns what is compared of a message: an event without the fields that clients make up. */
export function comparedOf(message: Message, volatile: readonly string[]): unknown {
  return "json" in message ? withoutPointers(message.json, [...ownFields, ...volatile]) : message;
}

/**
 * Returns the hash of what is compared of a message; if `withResults` is false, of what tools returned only whether they
 * failed. Adds its times to `found`.
 */
export function messageKey(
  message: Message,
  { volatile, volatileText, place }: MessageMatching,
  withResults: boolean,
  found?: string[],
): string {
  const json = "json" in message ? objectOf({ json: message.json as never }) : null;
  const ignored = json && !withResults ? toolResults(json) : [];
  const compared = replaceVolatileText(
    comparedOf(message, [...volatile, ...ignored]),
    volatileText,
    place,
    false,
    found,
  );
  return hashJson([compared, findFailed(openaiResponses, json, ignored)]);
}

type SentMessage = Pick<MessageMatching, "place"> & { message: Message; sentAt: string | undefined };

/** Whether a message is a recorded one: what is compared is the same, and its times stayed, or moved as the clock did. */
export function isSameMessage(
  recorded: SentMessage,
  sent: SentMessage,
  matching: MessageMatching,
  withResults: boolean,
): boolean {
  const read = ({ message, place, sentAt }: SentMessage) => {
    const times: string[] = [];
    return { key: messageKey(message, { ...matching, place }, withResults, times), times, sentAt };
  };
  const [was, is] = [read(recorded), read(sent)];
  return was.key === is.key && compareTimes(was, is) < Infinity;
}

/** Returns what sessions are told apart by before their first message. */
export function placeOf({ method, host, path, query }: TapeRequest): string {
  const parameters = new URLSearchParams(query);
  parameters.sort();
  return JSON.stringify([method, host, path, parameters.toString()]);
}
