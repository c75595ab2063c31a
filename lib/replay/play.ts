import type { ServerResponse } from "node:http";
import { processSingleton } from "#lib/platform/process-singleton";
import type { Replay } from "./open-replay";
import { Pacer, type Playback } from "./pacer";

/** Bytes that may wait for a slow reader of a Web stream before its playback pauses. */
const highWaterByteSize = 16 * 1024;

/** The one pacer of the process. */
export function pacer(): Pacer {
  return processSingleton("pacer", () => new Pacer());
}

/** Plays a replay as a Web stream, for the route handler. Cancelling it frees everything at once. */
export function playToStream({ score }: Replay): ReadableStream<Uint8Array> {
  let playback: Playback;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        playback = pacer().play(score, {
          write: (bytes) => {
            controller.enqueue(bytes);
            return (controller.desiredSize ?? 0) > 0;
          },
          end: () => controller.close(),
          cut: () => controller.error(new Error("the recording breaks off here")),
        });
      },
      pull: () => playback.resume(),
      cancel: () => playback.stop(),
    },
    { highWaterMark: highWaterByteSize, size: (bytes) => bytes?.byteLength ?? 0 },
  );
}

/** Plays a replay straight to a Node response whose head has been written. */
export function playToResponse({ score }: Replay, response: ServerResponse): void {
  const playback = pacer().play(score, {
    write: (bytes) => response.write(bytes),
    end: () => response.end(),
    // What was written still goes out; then the connection breaks off without the body's proper end.
    cut: () => response.socket?.destroySoon(),
  });
  response.on("drain", () => playback.resume());
  response.on("close", () => playback.stop());
}
