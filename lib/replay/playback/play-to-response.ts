import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Replay } from "./open-replay";
import { pacer, type Score } from "./pacer";

type Frames = Score["frames"];

/** The frames of a recording as HTTP/1.1 chunks, made when first played and kept as long as the recording is. */
const httpChunks = new WeakMap<Frames, Uint8Array[]>();

function toHttpChunk(frame: Uint8Array): Uint8Array {
  // An empty chunk would end the body.
  if (frame.length === 0) return frame;
  return Buffer.concat([Buffer.from(`${frame.length.toString(16)}\r\n`), frame, Buffer.from("\r\n")]);
}

function httpChunksOf(frames: Frames): Uint8Array[] {
  const known = httpChunks.get(frames);
  if (known) return known;
  const made = frames.map(toHttpChunk);
  httpChunks.set(frames, made);
  return made;
}

/** Plays HTTP chunks straight to the socket: one write of one buffer each, half of what `response.write` costs. */
function playToSocket(score: Score, response: ServerResponse, socket: Socket): void {
  const playback = pacer().play(
    { ...score, frames: httpChunksOf(score.frames) },
    {
      write: (bytes) => socket.write(bytes),
      end: () => response.end(),
      // What was written still goes out; then the connection breaks off without the body's proper end.
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

function playThroughResponse(score: Score, response: ServerResponse): void {
  const playback = pacer().play(score, {
    write: (bytes) => response.write(bytes),
    end: () => response.end(),
    cut: () => response.socket?.destroySoon(),
  });
  response.on("drain", () => playback.resume());
  response.on("close", () => playback.stop());
}

/**
 * Plays a replay to a Node response whose head has been written. A pipelined response has no socket until the one
 * before it has ended, and a client of HTTP/1.0 takes no chunks: these go through the response.
 */
export function playToResponse({ score }: Replay, response: ServerResponse): void {
  const { socket, chunkedEncoding } = response;
  if (socket && chunkedEncoding) playToSocket(score, response, socket);
  else playThroughResponse(score, response);
}
