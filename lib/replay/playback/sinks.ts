import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Replay } from "./open-replay";
import { type Playback, type PlaybackSchedule, pacer } from "./pacer";

type Frames = PlaybackSchedule["frames"];

/** A recording's frames encoded as HTTP/1.1 chunks on first use, and kept as long as the recording. */
const httpChunks = new WeakMap<Frames, Uint8Array[]>();

function toHttpChunk(frame: Uint8Array): Uint8Array {
  // An empty chunk would end the body.
  if (frame.length === 0) return frame;
  return Buffer.concat([Buffer.from(`${frame.length.toString(16)}\r\n`), frame, Buffer.from("\r\n")]);
}

function httpChunksOf(frames: Frames): Uint8Array[] {
  const known = httpChunks.get(frames);
  if (known) return known;
  const encoded = frames.map(toHttpChunk);
  httpChunks.set(frames, encoded);
  return encoded;
}

/** Writes HTTP chunks directly to the socket: one buffer per write, about half the cost of `response.write`. */
function playToSocket(schedule: PlaybackSchedule, response: ServerResponse, socket: Socket): void {
  const playback = pacer().play(
    { ...schedule, frames: httpChunksOf(schedule.frames) },
    {
      write: (bytes) => socket.write(bytes),
      cork: () => socket.cork(),
      uncork: () => socket.uncork(),
      end: () => response.end(),
      // Pending data is still sent; then the connection closes without the terminating chunk.
      cut: () => socket.destroySoon(),
    },
  );
  const resume = () => playback.resume();
  socket.on("drain", resume);
  response.on("close", () => {
    socket.off("drain", resume);
    playback.stop();
  });
}

function playThroughResponse(schedule: PlaybackSchedule, response: ServerResponse): void {
  const playback = pacer().play(schedule, {
    write: (bytes) => response.write(bytes),
    end: () => response.end(),
    cut: () => response.socket?.destroySoon(),
  });
  response.on("drain", () => playback.resume());
  response.on("close", () => playback.stop());
}

/**
 * Plays a replay to a Node response whose head has been written. The response's own `write` is used for a pipelined
 * response, which has no socket until the previous one has ended, and for HTTP/1.0, which has no chunked encoding.
 */
export function playToResponse({ schedule }: Replay, response: ServerResponse): void {
  const { socket, chunkedEncoding } = response;
  if (socket && chunkedEncoding) playToSocket(schedule, response, socket);
  else playThroughResponse(schedule, response);
}

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
    // Next.js closes the connection without logging an error of this name.
    const error = new DOMException("the stream was cut off", "AbortError");
    if (playback.blocked) controller.error(error);
    else if (controller.desiredSize === highWaterByteSize) setTimeout(() => controller.error(error), cutLingerMs);
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        /** Frames that leave together, each of which would cost Next.js a write. */
        let held: Uint8Array[] = [];
        let heldByteSize = 0;
        let isCorked = false;
        const release = () => {
          isCorked = false;
          if (heldByteSize > 0) controller.enqueue(Buffer.concat(held));
          held = [];
          heldByteSize = 0;
        };
        playback = pacer().play(schedule, {
          write: (bytes) => {
            if (isCorked) {
              held.push(bytes);
              heldByteSize += bytes.length;
            } else controller.enqueue(bytes);
            return (controller.desiredSize ?? 0) > heldByteSize;
          },
          cork: () => {
            isCorked = true;
          },
          uncork: release,
          end: () => {
            release();
            controller.close();
          },
          cut: () => {
            release();
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
