import { AppError } from "#lib/platform/errors";
import { perObject } from "#lib/platform/per-object";
import {
  type Catalogue,
  findEventEnds,
  type Recording,
  splitLines,
  unknownCassette,
} from "#lib/replay/cassettes/index";
import { eventStreamType, framingOf } from "#lib/replay/providers/index";
import type { PlaybackSchedule } from "./pacer";
import type { ReplayQuery } from "./schemas";

/** A replay ready to be played to any sink, with the status and headers to send first. */
export type Replay = { status: number; headers: Readonly<Record<string, string>>; schedule: PlaybackSchedule };

export function withSchedule(replay: Replay, change: Partial<PlaybackSchedule>): Replay {
  return { ...replay, schedule: { ...replay.schedule, ...change } };
}

/** A recording as one frame per server-sent event, each with an id to resume from. */
type EventFrames = { frames: Uint8Array[]; dueMs: Float64Array; ids: string[] };

/** Returns, for each event end, the number of the chunk that holds the event's last byte. */
function chunkNumbersOf(ends: readonly number[], { chunks }: Recording): number[] {
  let chunk = 0;
  let chunkEnd = chunks[0]?.length ?? 0;
  return ends.map((end) => {
    while (end > chunkEnd) chunkEnd += chunks[++chunk]?.length ?? 0;
    return chunk;
  });
}

const idField = /^id(?::|$)/;

/** Returns an event without ids of its own, which would replace the one in front. */
function withoutIds(event: Buffer): Uint8Array[] {
  const lines = [...splitLines(event)];
  const kept = lines.filter(
    ({ start, end }) => !idField.test(event.toString("latin1", start, Math.min(end, start + 3))),
  );
  return kept.length === lines.length ? [event] : kept.map(({ start, next }) => event.subarray(start, next));
}

/**
 * Splits a recording into one frame per event, each with an `id:` line in front, so that a client can resume. The id is
 * the number of the chunk that completed the event. If a chunk completes several, all but the last have a suffix `-<n>`.
 */
export function frameEvents(recording: Recording): EventFrames {
  const body = Buffer.concat(recording.chunks as Uint8Array[]);
  const ends = findEventEnds(body);
  const chunkNumbers = chunkNumbersOf(ends, recording);
  let firstOfChunk = 0;
  const ids = chunkNumbers.map((chunk, index) => {
    if (chunkNumbers[index - 1] !== chunk) firstOfChunk = index;
    return chunkNumbers[index + 1] === chunk ? `${chunk}-${index - firstOfChunk}` : String(chunk);
  });
  const frames = ends.map((end, index) =>
    Buffer.concat([Buffer.from(`id: ${ids[index]}\n`), ...withoutIds(body.subarray(ends[index - 1] ?? 0, end))]),
  );
  return { frames, ids, dueMs: Float64Array.from(chunkNumbers, (chunk) => recording.dueMs[chunk] as number) };
}

/** Headers that mark a response as a replay, so that a client can verify that it spent no tokens. */
function replayHeaders({ id, provenance }: Recording): Record<string, string> {
  return {
    "X-Replay-Source": "cassette",
    "X-Replay-Cassette": id,
    "X-Replay-Tokens-Spent": "0",
    "X-Replay-Provenance": provenance.kind,
    "X-Replay-Timing": provenance.timing,
  };
}

const headersOf = perObject((recording: Recording): Readonly<Record<string, string>> => {
  const recordedType = recording.headers["content-type"];
  const retryAfter = recording.headers["retry-after"];
  const isStream = recording.status === 200 && framingOf(recordedType) === "sse";
  return {
    ...replayHeaders(recording),
    "Content-Type": isStream ? eventStreamType : (recordedType ?? "application/json"),
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
    ...(retryAfter && recording.status !== 200 ? { "Retry-After": retryAfter } : {}),
  };
});

const eventIdPattern = /^(\d{1,6})(?:-(\d{1,6}))?$/;

/** Returns the index of the frame after the one with this id. Throws AppError bad_request for an unknown id. */
function frameAfter(lastEventId: string, ids: readonly string[]): number {
  const index = eventIdPattern.test(lastEventId) ? ids.indexOf(lastEventId) : -1;
  if (index >= 0) return index + 1;
  const known = `Its ids are ${ids[0]} to ${ids.at(-1)}: the number of the chunk with an event's end, and -<n> after it, such as 5-0, for all but the last of a chunk`;
  const which = ids.length === 0 ? "It has no events" : known;
  throw new AppError("bad_request", `Last-Event-ID is not the id of an event of this stream. ${which}.`);
}

/** Returns the index of the first frame that a chunk, or one after it, completes. */
function frameFrom(chunk: number, recording: Recording, ids: readonly string[]): number {
  if (chunk > recording.chunks.length) {
    throw new AppError("bad_request", `from: the cassette has ${recording.chunks.length} chunks.`);
  }
  const index = ids.findIndex((id) => Number.parseInt(id, 10) >= chunk);
  return index < 0 ? ids.length : index;
}

function wholeSchedule({ chunks, dueMs, end }: Recording, speed: number): PlaybackSchedule {
  return { frames: chunks, dueMs, from: 0, offsetMs: 0, speed, cutAtEnd: end === "truncated" };
}

type ResumeFrom = { chunk: number | undefined; lastEventId: string | null };

function resumableSchedule(recording: Recording, speed: number, { chunk, lastEventId }: ResumeFrom): PlaybackSchedule {
  const { frames, dueMs, ids } = frameEvents(recording);
  const from = chunk !== undefined ? frameFrom(chunk, recording, ids) : lastEventId ? frameAfter(lastEventId, ids) : 0;
  const offsetMs = from > 0 ? (dueMs[from - 1] as number) : 0;
  return { frames, dueMs, from, offsetMs, speed, cutAtEnd: recording.end === "truncated" };
}

type ReplayContext = { catalogue: Catalogue };

/** Returns a cassette ready to play. Throws AppError not_found and service_unavailable. */
export async function requireRecording({ catalogue }: ReplayContext, id: string): Promise<Recording> {
  const recording = await catalogue.recording(id);
  if (recording) return recording;
  throw unknownCassette(await catalogue.ids(), id);
}

export function openRecording(recording: Recording, speed: number): Replay {
  return { status: recording.status, headers: headersOf(recording), schedule: wholeSchedule(recording, speed) };
}

type ReplayInput = { query: ReplayQuery; lastEventId?: string | null };

/**
 * Opens a recording for replay. Status 204 means that a resumed stream has no more events; an EventSource then stops
 * reconnecting. Throws AppError bad_request.
 */
export function openReplay(
  recording: Recording,
  { query: { speed = 1, ids, from }, lastEventId = null }: ReplayInput,
): Replay {
  if (from !== undefined && !ids) throw new AppError("bad_request", "from requires ids=1. Add ids=1 to resume.");
  const isEventStream = framingOf(recording.headers["content-type"]) === "sse";
  // Only server-sent events can have ids.
  if (!ids || !isEventStream) return openRecording(recording, speed);
  const schedule = resumableSchedule(recording, speed, { chunk: from, lastEventId });
  const isFinished = schedule.from >= schedule.frames.length && schedule.from > 0;
  return isFinished
    ? { status: 204, headers: { "Cache-Control": "no-store" }, schedule }
    : { status: recording.status, headers: headersOf(recording), schedule };
}
