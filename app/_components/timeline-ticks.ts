import { perObject } from "#lib/platform/per-object";
import { type Recording, readRecordingEvents } from "#lib/replay/cassettes/index";
import { readTicks } from "./chunk-ticks";

/** Returns the ticks of a recording's timeline, one per chunk. They are computed once for each recording in memory. */
export const toTicks = perObject((recording: Recording) =>
  readTicks({ ...recording, events: readRecordingEvents(recording) }),
);
