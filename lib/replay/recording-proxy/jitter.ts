import { eventEnds, type Replay } from "#lib/replay/playback/index";

/** Greatest seed: 32 bits. */
export const maxSeed = 2 ** 32 - 1;

/** Returns a generator of delays from 0 to `maxMs` milliseconds. Mulberry32, by Tommy Ettinger (public domain). */
export function seededDelays(seed: number, maxMs: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return Math.floor((((value ^ (value >>> 14)) >>> 0) / 2 ** 32) * (maxMs + 1));
  };
}

/** Delays each event of a replay by up to `maxMs`, in addition to its own time. The seed decides how much. */
export function applyJitter(replay: Replay, maxMs: number, seed: number): Replay {
  const { frames, dueMs, speed } = replay.schedule;
  const nextDelayMs = seededDelays(seed, maxMs);
  const ends = eventEnds(Buffer.concat(frames as Uint8Array[]), replay.headers["Content-Type"]) ?? [];
  const starts = new Set([0, ...ends]);
  const isAtOnce = !Number.isFinite(speed);
  let offset = 0;
  let delayMs = 0;
  const delayed = frames.map((frame, index) => {
    if (starts.has(offset)) delayMs += nextDelayMs();
    offset += frame.length;
    // The schedule is divided by the speed when it is played; the delays are not to be.
    return isAtOnce ? delayMs : (dueMs[index] as number) + delayMs * speed;
  });
  const schedule = { ...replay.schedule, dueMs: Float64Array.from(delayed), speed: isAtOnce ? 1 : speed };
  return { ...replay, schedule };
}
