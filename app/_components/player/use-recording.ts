import { type ComponentType, startTransition, useEffect, useEffectEvent, useState } from "react";
import { loadProvider, type Provider } from "#lib/replay/providers/browser";
import type { AnswerPart } from "./fold-answer";
import { bodyEvent, type PlayerEvent, parseObject } from "./player-event";

type Fields = { id: string; event: string; data: string[] };

/** Splits an SSE line into name and value; a comment has an empty name. */
function splitLine(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  if (colon < 0) return [line, ""];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(" ") ? value.slice(1) : value];
}

function readFields(lines: readonly string[]): Fields {
  const fields: Fields = { id: "", event: "message", data: [] };
  for (const line of lines) {
    const [name, value] = splitLine(line);
    if (name === "data") fields.data.push(value);
    else if (name === "id" || name === "event") fields[name] = value;
  }
  return fields;
}

/**
 * Parses a replay with `ids=1`, whose event ids start with the number of the event's chunk. Not with `eventsource-parser`,
 * which would add a kilobyte to every page with a player and lose the last event of a stream with CR line ends.
 */
export function parseEvents(text: string): PlayerEvent[] {
  const events: PlayerEvent[] = [];
  let lines: string[] = [];
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line !== "") {
      lines.push(line);
      continue;
    }
    const { id, event, data } = readFields(lines);
    lines = [];
    if (data.length === 0) continue;
    const joined = data.join("\n");
    const chunk = Number.parseInt(id, 10) || 0;
    events.push({ number: events.length, chunk, event, data: joined, json: parseObject(joined) });
  }
  return events;
}

/** Returns the number of the chunk that contains the last byte before an offset. */
function chunkAt(byteOffset: number, byteSizes: readonly number[]): number {
  let end = 0;
  const chunk = byteSizes.findIndex((byteSize) => {
    end += byteSize;
    return end >= byteOffset;
  });
  return chunk < 0 ? byteSizes.length - 1 : chunk;
}

/** Parses a body of JSON lines, one event each, or any other body as one event. */
export function parseBody(text: string, source: { type: string; byteSizes: readonly number[] }): PlayerEvent[] {
  const encoder = new TextEncoder();
  const lines = source.type.includes("ndjson") ? (text.match(/[^\n]*(?:\n|$)/g) ?? []) : [text];
  let byteOffset = 0;
  return lines
    .flatMap((line) => {
      byteOffset += encoder.encode(line).length;
      const data = line.trim();
      if (data === "") return [];
      return { chunk: chunkAt(byteOffset, source.byteSizes), event: "message", data, json: parseObject(data) };
    })
    .map((event, number) => ({ number, ...event }));
}

/** The cassette to load, with the metadata that is needed to read its replay. */
type RecordingSource = {
  id: string;
  provider: string;
  status: number;
  isTruncated: boolean;
  byteSizes: readonly number[];
  /** The recording, if the page has it already: then nothing is requested. */
  loaded?: ReadyRecording | undefined;
};

/** Reads the complete body. The replay of a truncated cassette breaks off, which is not an error. */
async function readBody(response: Response, isTruncated: boolean): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read())
      text += decoder.decode(read.value, { stream: true });
  } catch (error) {
    if (!isTruncated) throw error;
  }
  return text + decoder.decode();
}

/**
 * Loads a cassette's events from the replay endpoint at full speed, so the player shows what any client gets. Rejects if
 * the endpoint does not respond, or responds with anything but the cassette.
 */
async function loadRecording(source: RecordingSource, signal: AbortSignal): Promise<PlayerEvent[]> {
  const { id, status, byteSizes, isTruncated } = source;
  const query = status === 200 ? "speed=max&ids=1" : "speed=max";
  const response = await fetch(`/api/v1/replay/${id}?${query}`, { signal });
  if (response.headers.get("x-replay-cassette") !== id) throw new Error(`HTTP ${response.status}`);
  const body = await readBody(response, isTruncated);
  if (status !== 200) return [bodyEvent(body, { status, chunkCount: byteSizes.length })];
  const type = response.headers.get("content-type") ?? "";
  return type.startsWith("text/event-stream") ? parseEvents(body) : parseBody(body, { type, byteSizes });
}

export type ReadyRecording = {
  phase: "ready";
  events: readonly PlayerEvent[];
  Answer: ComponentType<{ parts: readonly AnswerPart[] }>;
  foldAnswer: (provider: Provider, events: readonly PlayerEvent[], count: number) => AnswerPart[];
  provider: Provider;
};

export type LoadedRecording = { phase: "loading" } | { phase: "failed" } | ReadyRecording;

/**
 * Loads a cassette's events, and the code that renders answers, which the first paint does not need. State that `onReady`
 * sets is rendered together with the events, in a transition that keeps the page responsive.
 */
export function useRecording(source: RecordingSource, onReady: () => void): LoadedRecording {
  const { id, provider: providerName, status, isTruncated, byteSizes, loaded } = source;
  const [recording, setRecording] = useState<LoadedRecording>(loaded ?? { phase: "loading" });
  const notifyReady = useEffectEvent(onReady);
  useEffect(() => {
    if (loaded) return notifyReady();
    const controller = new AbortController();
    const load = async () => {
      const [{ Answer }, { foldAnswer }, provider, events] = await Promise.all([
        import("./answer"),
        import("./fold-answer"),
        loadProvider(providerName),
        loadRecording({ id, provider: providerName, status, isTruncated, byteSizes }, controller.signal),
      ]);
      startTransition(() => {
        setRecording({ phase: "ready", events, Answer, foldAnswer, provider });
        notifyReady();
      });
    };
    load().catch(() => {
      if (!controller.signal.aborted) setRecording({ phase: "failed" });
    });
    return () => controller.abort();
  }, [id, providerName, status, isTruncated, byteSizes, loaded]);
  return recording;
}
