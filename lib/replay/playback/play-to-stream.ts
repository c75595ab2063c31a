import type { Replay } from "./open-replay";
import { type Playback, pacer } from "./pacer";

/** Bytes queued for a slow reader of a Web stream before its playback pauses. */
const highWaterByteSize = 16 * 1024;

/** Time for the last bytes of a truncated recording to reach the socket before the Web stream fails, in milliseconds. */
const cutLingerMs = 50;

/** Returns a replay as a Web stream, for the route handler. Cancelling the stream stops the playback. */
export function playToStream({ schedule }: Replay): ReadableStream<Uint8Array> {
  let playback: Playback;
  let isCut = false;
  // An error discards queued bytes, so it waits until the reader has taken them all, and a moment longer.
  // A stalled reader takes nothing more, so its stream fails at once.
  const cutOff = (controller: ReadableStreamDefaultController) => {
    const error = new Error("the stream was cut off");
    if (playback.blocked) controller.error(error);
    else if (controller.desiredSize === highWaterByteSize) setTimeout(() => controller.error(error), cutLingerMs);
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        playback = pacer().play(schedule, {
          write: (bytes) => {
            controller.enqueue(bytes);
            return (controller.desiredSize ?? 0) > 0;
          },
          end: () => controller.close(),
          cut: () => {
            isCut = true;
            cutOff(controller);
          },
        });
      },
      pull: (controller) => (isCut ? cutOff(controller) : playback.resume()),
      cancel: () => playback.stop(),
    },
    { highWaterMark: highWaterByteSize, size: (bytes) => bytes?.byteLength ?? 0 },
  );
}
