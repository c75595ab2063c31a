import { type Recording, readRecordingEvents } from "#lib/replay/cassettes/index";
import { type ChunkTick, readTicks } from "./chunk-ticks";

const ticksByRecording = new WeakMap<Recording, readonly ChunkTick[]>();

/** Returns the ticks of a recording's timeline, one per chunk. They are computed once for each recording in memory. */
export function toTicks(recording: Recording): readonly ChunkTick[] {
  const ticks = ticksByRecording.get(recording) ?? readTicks({ ...recording, events: readRecordingEvents(recording) });
  ticksByRecording.set(recording, ticks);
  return ticks;
}
