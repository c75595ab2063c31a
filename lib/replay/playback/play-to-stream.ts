import type { Replay } from "./open-replay";
import { type Playback, pacer } from "./pacer";

/** Bytes that may wait for a slow reader of a Web stream before its playback pauses. */
const highWaterByteSize = 16 * 1024;

/** How long the last bytes of a cut recording have to reach the socket before the Web stream fails, in milliseconds. */
const cutLingerMs = 50;

/** Plays a replay as a Web stream, for the route handler. Cancelling it frees everything at once. */
export function playToStream({ score }: Replay): ReadableStream<Uint8Array> {
  let playback: Playback;
  let isCut = false;
  // An error throws away what is queued, so it waits until the reader has taken everything, and a moment more.
  // A reader that stalled takes nothing more: it is cut at once.
  const breakOff = (controller: ReadableStreamDefaultController) => {
    const error = new Error("the stream breaks off here");
    if (playback.blocked) controller.error(error);
    else if (controller.desiredSize === highWaterByteSize) setTimeout(() => controller.error(error), cutLingerMs);
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        playback = pacer().play(score, {
          write: (bytes) => {
            controller.enqueue(bytes);
            return (controller.desiredSize ?? 0) > 0;
          },
          end: () => controller.close(),
          cut: () => {
            isCut = true;
            breakOff(controller);
          },
        });
      },
      pull: (controller) => (isCut ? breakOff(controller) : playback.resume()),
      cancel: () => playback.stop(),
    },
    { highWaterMark: highWaterByteSize, size: (bytes) => bytes?.byteLength ?? 0 },
  );
}
