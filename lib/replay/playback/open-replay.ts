import { AppError } from "#lib/platform/errors";
import type { Catalogue, Recording } from "#lib/replay/cassettes/index";
import type { Score } from "./pacer";
import type { ReplayQuery } from "./schemas";

/** A recording cut into its SSE events, each with an id to resume from. */
export type EventFrames = { frames: Uint8Array[]; dueMs: Float64Array; ids: string[] };

const newline = 0x0a;
const carriageReturn = 0x0d;

/** Offsets just after each blank line of the body: where events end. Line ends are LF, CRLF or CR. */
function eventEnds(body: Uint8Array): number[] {
  const ends: number[] = [];
  let lineIsEmpty = true;
  let offset = 0;
  while (offset < body.length) {
    const byte = body[offset++];
    if (byte !== newline && byte !== carriageReturn) {
      lineIsEmpty = false;
      continue;
    }
    if (byte === carriageReturn && body[offset] === newline) offset += 1;
    if (lineIsEmpty) ends.push(offset);
    lineIsEmpty = true;
  }
  if ((ends.at(-1) ?? 0) < body.length) ends.push(body.length);
  return ends;
}

/** For each event end, the number of the chunk that holds the event's last byte. */
function chunksOf(ends: readonly number[], recording: Recording): number[] {
  let chunk = 0;
  let chunkEnd = recording.chunks[0]?.length ?? 0;
  return ends.map((end) => {
    while (end > chunkEnd) chunkEnd += recording.chunks[++chunk]?.length ?? 0;
    return chunk;
  });
}

/**
 * Cuts a recording into one frame per event with an `id:` line in front, so that a client can resume. The id is the
 * number of the chunk that completed the event; where a chunk completes several, all but the last carry `-<n>`.
 */
export function frameEvents(recording: Recording): EventFrames {
  const body = Buffer.concat(recording.chunks as Uint8Array[]);
  const ends = eventEnds(body);
  const chunkNumbers = chunksOf(ends, recording);
  const ids = chunkNumbers.map((chunk, index) => {
    if (chunkNumbers[index + 1] !== chunk) return String(chunk);
    return `${chunk}-${index - chunkNumbers.indexOf(chunk)}`;
  });
  const frames = ends.map((end, index) =>
    Buffer.concat([Buffer.from(`id: ${ids[index]}\n`), body.subarray(ends[index - 1] ?? 0, end)]),
  );
  return { frames, ids, dueMs: Float64Array.from(chunkNumbers, (chunk) => recording.dueMs[chunk] as number) };
}

/** A stream that is ready to be played into any sink, with the status and headers to send before it. */
export type Replay = { status: number; headers: Record<string, string>; score: Score };

type ReplayInput = { id: string; query: ReplayQuery; lastEventId?: string | null };

/** `Content-Type` of a replayed stream. */
export const eventStreamType = "text/event-stream; charset=utf-8";

/** Headers that mark a replay, so that a client can verify that no tokens were spent. */
export function replayHeaders({ id, provenance }: Pick<Recording, "id" | "provenance">): Record<string, string> {
  return {
    "X-Replay-Source": "cassette",
    "X-Replay-Cassette": id,
    "X-Replay-Tokens-Spent": "0",
    "X-Replay-Provenance": provenance.kind,
    "X-Replay-Timing": provenance.timing,
  };
}

function headersOf(recording: Recording): Record<string, string> {
  const recordedType = recording.headers["content-type"];
  const retryAfter = recording.headers["retry-after"];
  return {
    ...replayHeaders(recording),
    "Content-Type": recording.status === 200 ? eventStreamType : (recordedType ?? "application/json"),
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
    ...(retryAfter && recording.status !== 200 ? { "Retry-After": retryAfter } : {}),
  };
}

function wholeScore(recording: Recording, speed: number): Score {
  const { chunks, dueMs, end } = recording;
  return { frames: chunks, dueMs, from: 0, offsetMs: 0, speed, cutAtEnd: end === "truncated" };
}

const eventIdPattern = /^(\d{1,6})(?:-(\d{1,6}))?$/;

/** Number of the first frame after the one with this id; an id that the stream never had is a bad request. */
function frameAfter(lastEventId: string, ids: readonly string[]): number {
  const index = eventIdPattern.test(lastEventId) ? ids.indexOf(lastEventId) : -1;
  if (index < 0) throw new AppError("bad_request", "Last-Event-ID is not the id of an event of this stream.");
  return index + 1;
}

function frameFrom(chunk: number, recording: Recording, ids: readonly string[]): number {
  if (chunk > recording.chunks.length) {
    throw new AppError("bad_request", `from: the cassette has ${recording.chunks.length} chunks.`);
  }
  const index = ids.findIndex((id) => Number.parseInt(id, 10) >= chunk);
  return index < 0 ? ids.length : index;
}

function resumableScore(
  recording: Recording,
  speed: number,
  from: number | undefined,
  lastEventId: string | null,
): Score {
  const { frames, dueMs, ids } = frameEvents(recording);
  const first = from !== undefined ? frameFrom(from, recording, ids) : lastEventId ? frameAfter(lastEventId, ids) : 0;
  const offsetMs = first > 0 ? (dueMs[first - 1] as number) : 0;
  return { frames, dueMs, from: first, offsetMs, speed, cutAtEnd: recording.end === "truncated" };
}

/** A recording as it is, ready to play from its start. */
export function openRecording(recording: Recording, speed: number): Replay {
  return { status: recording.status, headers: headersOf(recording), score: wholeScore(recording, speed) };
}

/**
 * Opens a cassette for replay. A resumed stream that has nothing left has status 204, which tells an EventSource to
 * stop reconnecting. Throws AppError: `not_found`, `bad_request`, `service_unavailable`.
 */
export async function openReplay(
  { catalogue }: { catalogue: Catalogue },
  { id, query: { speed = 1, ids, from }, lastEventId = null }: ReplayInput,
): Promise<Replay> {
  if (from !== undefined && !ids) throw new AppError("bad_request", "from goes with ids=1: add ids=1 to resume.");
  const recording = await catalogue.recording(id);
  if (!recording) throw new AppError("not_found", `There is no cassette ${id}. GET /api/v1/cassettes lists them.`);
  if (!ids) return openRecording(recording, speed);
  const headers = headersOf(recording);
  const score = resumableScore(recording, speed, from, lastEventId);
  const isOver = score.from >= score.frames.length && score.from > 0;
  return { status: isOver ? 204 : recording.status, headers, score };
}
