import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { AppError } from "#lib/platform/errors";
import { createRandom, endsOf } from "#lib/replay/cassettes/index";
import { errorEvent, framingOf, type Provider, readEvents } from "#lib/replay/providers/index";
import { type Replay, withSchedule } from "./open-replay";

/** Longest pause that a fault can cause in all: one minute, in milliseconds. */
export const maxStallMs = 60_000;

/** Most events and bytes that a fault may name. */
export const maxFaultCount = 999_999;

/** What can happen after a number of events, by the names that requests have for it. */
export const endings = { "cut-after-event": "cut", "error-after-event": "error", "end-after-event": "end" } as const;
export type Ending = (typeof endings)[keyof typeof endings];

/** What is done with an answer. */
export type AnswerFaults = {
  /** Number of events after which the connection is cut, an error is sent, or the answer ends as if it were complete. */
  afterEvent?: number | undefined;
  do?: Ending | undefined;
  /** Pause after the first frame. */
  stallMs?: number | undefined;
  /** Pause before the response. */
  firstByteMs?: number | undefined;
  /** Longest random delay before each event, in milliseconds, and what decides the delays. */
  jitterMs?: number | undefined;
  seed?: number | undefined;
  /** Size of the pieces, in bytes. */
  rechunk?: number | undefined;
};

/** Returns the byte offset after each event; those of JSON lines are lines. Null for a body that is no stream. */
function eventEnds(body: Uint8Array, contentType: string | undefined): number[] | null {
  const framing = framingOf(contentType);
  return framing === "json" ? null : endsOf(body, framing);
}

/** Cuts an answer after `count` events, or in the middle of a body that is no stream. Throws AppError bad_request. */
function cutAfter(replay: Replay, count: number, ending: Ending = "cut"): Replay {
  const { frames, dueMs } = replay.schedule;
  const body = Buffer.concat(frames as Uint8Array[]);
  const ends = eventEnds(body, replay.headers["Content-Type"]);
  const isWhole = count === ends?.length && ending === "end" && !replay.schedule.cutAtEnd;
  if (ends ? count > ends.length || isWhole : ending !== "cut") {
    const why = ends ? `this answer has ${ends.length} events. Ask for fewer.` : "this answer is no stream.";
    throw new AppError("bad_request", `${ending}-after-event=${count} would do nothing: ${why}`);
  }
  let left = ends ? ([0, ...ends][count] ?? 0) : body.length >> 1;
  const kept: Uint8Array[] = [];
  for (const frame of frames) {
    if (left <= 0) break;
    kept.push(frame.subarray(0, left));
    left -= frame.length;
  }
  return withSchedule(replay, { frames: kept, dueMs: dueMs.slice(0, kept.length), cutAtEnd: true });
}

/** Delays each frame, in addition to its own time, by as long at any speed. */
function delayFrames(replay: Replay, delayMsOf: (index: number) => number): Replay {
  const { dueMs, speed } = replay.schedule;
  const isAtOnce = !Number.isFinite(speed);
  const played = isAtOnce ? 1 : speed;
  // The schedule is divided by the speed when it is played; the delays are not to be.
  const delayed = dueMs.map((due, index) => (isAtOnce ? 0 : due) + delayMsOf(index) * played);
  return withSchedule(replay, { dueMs: delayed, speed: played });
}

/** Pauses after the first frame: the stream has begun, and then nothing comes. */
function stall(replay: Replay, ms: number): Replay {
  const { length } = replay.schedule.frames;
  return delayFrames(replay, (index) => (index === 0 && length > 1 ? 0 : ms));
}

/**
 * Divides the frames into pieces of this size, so that events and characters arrive in parts. Each leaves 1 ms after the one
 * before, since clients read pieces together that have arrived together. Throws AppError bad_request.
 */
function rechunk(replay: Replay, byteSize: number): Replay {
  const { frames, dueMs } = replay.schedule;
  const addedCount = frames.reduce((sum, { length }) => sum + Math.max(0, Math.ceil(length / byteSize) - 1), 0);
  if (addedCount === 0) {
    const message = `rechunk=${byteSize} would divide nothing: no piece of this response is larger. Ask for smaller ones.`;
    throw new AppError("bad_request", message);
  }
  if (addedCount > maxStallMs) {
    const message = `rechunk=${byteSize} would add ${addedCount} pieces to this response, 1 ms apart, and ${maxStallMs} are the most. Ask for larger ones.`;
    throw new AppError("bad_request", message);
  }
  let addedMs = 0;
  const pieces = frames.flatMap((frame, index) =>
    Array.from({ length: Math.ceil(frame.length / byteSize) }, (_, piece) => {
      if (piece > 0) addedMs += 1;
      const bytes = frame.subarray(piece * byteSize, (piece + 1) * byteSize);
      return { bytes, due: dueMs[index] as number, addedMs };
    }),
  );
  const divided = withSchedule(replay, {
    frames: pieces.map(({ bytes }) => bytes),
    dueMs: Float64Array.from(pieces, ({ due }) => due),
  });
  return withSchedule(
    delayFrames(divided, (index) => pieces[index]?.addedMs ?? 0),
    { leastGapMs: 1 },
  );
}

/** Who asks for a fault, and the id of the request. */
type Asking = { provider: Provider; asker: "request" | "test"; requestId: string };

/** Ends a stream after `count` events as if it were complete. Throws AppError bad_request. */
function endAfter(replay: Replay, count: number, ending: Ending = "end"): Replay {
  return withSchedule(cutAfter(replay, count, ending), { cutAtEnd: false });
}

/** Sends an error event in place of the events after `count`. Throws AppError bad_request. */
function failAfter(replay: Replay, count: number, { provider, asker, requestId }: Asking): Replay {
  const { schedule } = endAfter(replay, count, "error");
  const message = `Tapedeck sends this error, because the ${asker} asks for it.`;
  const before = readEvents([{ deltaMs: 0, bytes: Buffer.concat(schedule.frames) }], "sse");
  const event = errorEvent(provider, { status: 500, message, requestId }, before);
  const frames = [...schedule.frames, Buffer.from(event)];
  const dueMs = Float64Array.from([...schedule.dueMs, schedule.dueMs.at(-1) ?? 0]);
  return withSchedule(replay, { frames, dueMs, cutAtEnd: false });
}

const applyEnding: Record<Ending, (replay: Replay, count: number, asking: Asking) => Replay> = {
  cut: (replay, count) => cutAfter(replay, count),
  error: failAfter,
  end: (replay, count) => endAfter(replay, count),
};

/** Delays each event by up to `maxMs` more than the one before, and none by more than `maxStallMs`. The seed decides how much. */
function jitter(replay: Replay, maxMs: number, seed: number): Replay {
  const { frames } = replay.schedule;
  const random = createRandom(seed);
  const ends = eventEnds(Buffer.concat(frames as Uint8Array[]), replay.headers["Content-Type"]) ?? [];
  const starts = new Set([0, ...ends]);
  let offset = 0;
  let delayMs = 0;
  return delayFrames(replay, (index) => {
    if (starts.has(offset)) delayMs = Math.min(maxStallMs, delayMs + random.integer(0, maxMs));
    offset += frames[index]?.length ?? 0;
    return delayMs;
  });
}

/** Returns a replay with the faults that a request or a test asks for. Throws AppError bad_request for one that would do nothing. */
export function applyFaults(replay: Replay, faults: AnswerFaults, asking: Asking): Replay {
  const { afterEvent, stallMs, rechunk: byteSize, jitterMs, seed = 0 } = faults;
  let changed = replay;
  if (afterEvent !== undefined) changed = applyEnding[faults.do ?? "cut"](replay, afterEvent, asking);
  if (byteSize !== undefined) changed = rechunk(changed, byteSize);
  if (stallMs !== undefined) changed = stall(changed, stallMs);
  return jitterMs === undefined ? changed : jitter(changed, jitterMs, seed);
}

/** Waits for as long as a fault delays the response, or until its connection closes. */
export async function delayResponse({ firstByteMs }: AnswerFaults, response?: ServerResponse): Promise<void> {
  if (firstByteMs === undefined) return;
  const gone = new AbortController();
  response?.once("close", () => gone.abort());
  await wait(firstByteMs, undefined, { signal: gone.signal }).catch(() => undefined);
}
