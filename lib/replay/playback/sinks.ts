import type { ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { perObject } from "#lib/platform/per-object";
import type { Replay } from "./open-replay";
import { type Playback, type PlaybackSchedule, pacer } from "./pacer";

function toHttpChunk(frame: Uint8Array): Uint8Array {
  // An empty chunk would end the body.
  if (frame.length === 0) return frame;
  return Buffer.concat([Buffer.from(`${frame.length.toString(16)}\r\n`), frame, Buffer.from("\r\n")]);
}

/** Returns a recording's frames as HTTP/1.1 chunks, encoded on first use. */
const httpChunksOf = perObject((frames: PlaybackSchedule["frames"]) => frames.map(toHttpChunk));

/**
 * Time between the last bytes of a response and its cut, in milliseconds. Browsers discard what a page has not read when the
 * connection closes, and Web streams what is queued when they fail.
 */
export const cutLingerMs = 50;

/** INTERNAL_ERROR of RFC 9113. */
const http2InternalError = 2;

/** Returns the stream of an HTTP/2 response, whose socket has other streams too; undefined for others. */
const http2StreamOf = (response: ServerResponse) =>
  (response as ServerResponse & { stream?: ServerHttp2Stream }).stream;

/** Whether a response's connection, or its stream, is closed. */
export const isClosed = (response: ServerResponse): boolean =>
  response.destroyed || http2StreamOf(response)?.destroyed === true;

function closeAfterLinger(socket: Socket): void {
  socket.write("", () => setTimeout(() => socket.destroySoon(), cutLingerMs));
}

const cutResponses = new WeakSet<ServerResponse>();

/** Whether `cutOff` closes a response's connection, and not its client. */
export const wasCut = (response: ServerResponse): boolean => cutResponses.has(response);

/**
 * Closes the connection, or the stream of HTTP/2, without the end of the body: after what was written has been sent, unless the
 * client takes nothing more. A pipelined response has no socket until the one before it has ended.
 */
export function cutOff(response: ServerResponse, isStalled = false): void {
  cutResponses.add(response);
  const { socket } = response;
  const stream = http2StreamOf(response);
  if (stream) setTimeout(() => stream.close(http2InternalError), isStalled ? 0 : cutLingerMs);
  else if (isStalled) response.destroy();
  else if (socket) closeAfterLinger(socket);
  // It writes what it holds after this event.
  else response.once("socket", (given: Socket) => process.nextTick(() => closeAfterLinger(given)));
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
      cut: (isStalled) => cutOff(response, isStalled),
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
    // Not the response: Node.js 22 writes the end of a body before what its response has corked, or never emits `drain`.
    cork: () => response.socket?.cork(),
    uncork: () => response.socket?.uncork(),
    end: () => response.end(),
    cut: (isStalled) => cutOff(response, isStalled),
  });
  response.on("drain", () => playback.resume());
  response.on("close", () => playback.stop());
}

/**
 * Plays a replay to a Node response with status and headers, but not sent. The response's own `write` is used for a pipelined
 * response, which has no socket until the previous one has ended, and where there is no chunked encoding: for HTTP/1.0, and for a
 * body of a known length.
 */
export function playToResponse({ schedule }: Replay, response: ServerResponse): void {
  const { socket, chunkedEncoding } = response;
  // The head leaves with what is due at once, up to what the socket's buffer takes. In Node.js 20 and 22, a fetch that has got
  // the head before the whole rest hangs if its signal aborts then.
  socket?.cork();
  response.flushHeaders();
  if (socket && chunkedEncoding) playToSocket(schedule, response, socket);
  else playThroughResponse(schedule, response);
  setImmediate(() => socket?.uncork());
}

/** Bytes that leave together, and beyond which a slow reader of a Web stream pauses its playback. */
const highWaterByteSize = 16 * 1024;

/** Next.js closes the connection without logging an error of this name. */
const cutOffError = () => new DOMException("the stream was cut off", "AbortError");

/** Returns the source of a replay's Web stream, whose queue is meant to be empty: a chunk is taken when the reader wants one. */
function sourceOf(schedule: PlaybackSchedule) {
  let playback: Playback | undefined;
  let isCut = false;
  type Controller = ReadableStreamDefaultController<Uint8Array>;
  const isEmpty = ({ desiredSize }: Controller) => desiredSize === 0;
  // An error discards what is queued, so it waits until the reader has taken it, and a moment longer.
  const failOnceEmpty = (controller: Controller) => {
    if (isEmpty(controller)) setTimeout(() => controller.error(cutOffError()), cutLingerMs);
  };
  const play = (controller: Controller) => {
    /** Frames that leave together, each of which would cost the receiver a write. */
    let held: Uint8Array[] = [];
    let heldByteSize = 0;
    let isCorked = false;
    const release = () => {
      isCorked = false;
      if (heldByteSize > 0) controller.enqueue(Buffer.concat(held));
      held = [];
      heldByteSize = 0;
    };
    return pacer().play(schedule, {
      write(bytes) {
        if (isCorked) {
          held.push(bytes);
          heldByteSize += bytes.length;
        } else controller.enqueue(bytes);
        return isEmpty(controller) && heldByteSize < highWaterByteSize;
      },
      cork() {
        isCorked = true;
      },
      uncork: release,
      end() {
        release();
        controller.close();
      },
      cut(isStalled) {
        if (isStalled) return controller.error(cutOffError());
        release();
        isCut = true;
        failOnceEmpty(controller);
      },
    });
  };
  return {
    pull(controller: Controller) {
      if (isCut) failOnceEmpty(controller);
      else if (playback) playback.resume();
      else playback = play(controller);
    },
    cancel: () => playback?.stop(),
  };
}

/**
 * A replay as a Web stream. Its playback starts with the first read. Next.js pipes it to a Web stream that writes to a
 * Node.js response. If this response is known, the replay is written to it directly, which costs less. Not to its socket:
 * Next.js compresses some responses.
 */
class PlaybackStream extends ReadableStream<Uint8Array> {
  readonly #schedule: PlaybackSchedule;
  readonly #response: ServerResponse | undefined;

  constructor(schedule: PlaybackSchedule, response: ServerResponse | undefined) {
    super(sourceOf(schedule), { highWaterMark: 0 });
    this.#schedule = schedule;
    this.#response = response;
  }

  override async pipeTo(destination: WritableStream<Uint8Array>, options?: StreamPipeOptions): Promise<void> {
    const response = this.#response;
    if (!response || response.destroyed) return super.pipeTo(destination, options);
    // Locks both streams, through which nothing passes.
    this.getReader();
    const writer = destination.getWriter();
    await new Promise((resolve) => {
      response.once("close", resolve);
      playThroughResponse(this.#schedule, response);
    });
    if (response.writableFinished) return writer.close();
    const reason = cutOffError();
    writer.abort(reason).catch(() => undefined);
    throw reason;
  }
}

/**
 * Returns a replay as a Web stream, for the route handler. Cancelling the stream stops the playback. `response` is what the
 * stream is going to be written to, if this is known.
 */
export function playToStream({ schedule }: Replay, response?: ServerResponse): ReadableStream<Uint8Array> {
  return new PlaybackStream(schedule, response);
}
