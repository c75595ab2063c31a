import { findEventEnds } from "#lib/replay/cassettes/index";
import { type Provider, readEvents } from "#lib/replay/providers/index";
import { type Replay, withSchedule } from "./open-replay";

type Frames = Pick<Replay["schedule"], "frames" | "dueMs">;

/** What is left of the frames of a recording, which are the same for each of its replays. */
const withoutUsage = new WeakMap<readonly Uint8Array[], Frames>();

/** Returns the bytes of the stream's event that only has its usage; null if it has none. It is the last one before the end marker. */
function findUsage(body: Buffer, { isUsageEvent }: Provider): [start: number, end: number] | null {
  const ends = findEventEnds(body);
  for (const index of [ends.length - 1, ends.length - 2]) {
    const [start, end] = [ends[index - 1] ?? 0, ends[index] ?? 0];
    const [event] = readEvents([{ deltaMs: 0, bytes: body.subarray(start, end) }], "sse");
    if (event?.json && isUsageEvent?.(event.json)) return [start, end];
  }
  return null;
}

/** Returns the frames without the bytes of a range. */
export function cutRange({ frames, dueMs }: Frames, [start, end]: [number, number]): Frames {
  let offset = 0;
  const kept = frames.map((frame) => {
    const at = (place: number) => Math.min(frame.length, Math.max(0, place - offset));
    const rest = Buffer.concat([frame.subarray(0, at(start)), frame.subarray(at(end))]);
    offset += frame.length;
    return rest;
  });
  const hasBytes = (_: unknown, index: number) => (kept[index]?.length ?? 0) > 0;
  return { frames: kept.filter(hasBytes), dueMs: dueMs.filter(hasBytes) };
}

/** Returns the replay of a stream without the event with its usage, which its request did not ask for. */
export function omitUsage(replay: Replay, provider: Provider): Replay {
  const { frames, dueMs } = replay.schedule;
  let left = withoutUsage.get(frames);
  if (!left) {
    const usage = findUsage(Buffer.concat(frames), provider);
    left = usage ? cutRange({ frames, dueMs }, usage) : { frames, dueMs };
    withoutUsage.set(frames, left);
  }
  return withSchedule(replay, left);
}
