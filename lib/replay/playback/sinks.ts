import type { ServerResponse } from "node:http";
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

/** Bytes that leave together, and beyond which a slow reader of a Web stream pauses its playback. */
const highWaterByteSize = 16 * 1024;

/** Time for the last bytes of a truncated recording to reach the socket before the Web stream fails, in milliseconds. */
const cutLingerMs = 50;

/** Next.js closes the connection without logging an error of this name. */
const cutOffError = () => new DOMException("the stream was cut off", "AbortError");

/**
 * Joins frames that leave together, each of which would cost the receiver a write. `accepts` returns whether the receiver
 * accepts more beside this many bytes that are held.
 */
function joinFrames(send: (bytes: Uint8Array) => void, accepts: (heldByteSize: number) => boolean) {
  let held: Uint8Array[] = [];
  let heldByteSize = 0;
  let isCorked = false;
  return {
    write(bytes: Uint8Array): boolean {
      if (isCorked) {
        held.push(bytes);
        heldByteSize += bytes.length;
      } else send(bytes);
      return accepts(heldByteSize);
    },
    cork() {
      isCorked = true;
    },
    uncork() {
      isCorked = false;
      const joined = held;
      if (heldByteSize > 0) send(joined.length > 1 ? Buffer.concat(joined) : (joined[0] as Uint8Array));
      held = [];
      heldByteSize = 0;
    },
  };
}

/** Plays into a Web stream. Resolves when it has taken everything and is closed; rejects if it fails, or when `signal` aborts. */
function playToWriter(
  schedule: PlaybackSchedule,
  writer: WritableStreamDefaultWriter<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let unwrittenCount = 0;
    let isCut = false;
    const fail = (reason: unknown) => {
      playback.stop();
      writer.abort(reason).catch(() => undefined);
      reject(reason);
    };
    const written = () => {
      unwrittenCount -= 1;
      if (unwrittenCount > 0) return;
      if (isCut) setTimeout(fail, cutLingerMs, cutOffError());
      else playback.resume();
    };
    const frames = joinFrames(
      (bytes) => {
        unwrittenCount += 1;
        writer.write(bytes).then(written, fail);
      },
      (heldByteSize) => unwrittenCount < 2 && heldByteSize < highWaterByteSize,
    );
    const playback: Playback = pacer().play(schedule, {
      ...frames,
      end() {
        frames.uncork();
        writer.close().then(resolve, fail);
      },
      // A receiver that has stalled takes nothing more, so its stream fails at once; else it gets the last bytes first.
      cut() {
        frames.uncork();
        isCut = true;
        if (playback.blocked) fail(cutOffError());
        else if (unwrittenCount === 0) written();
      },
    });
    writer.closed.catch(fail);
    if (signal?.aborted) fail(signal.reason);
    else signal?.addEventListener("abort", () => fail(signal.reason), { once: true });
  });
}

/** Returns the source of a replay's stream. A chunk counts as written when the reader wants the next one. */
function sourceOf(schedule: PlaybackSchedule) {
  const cancelled = new AbortController();
  let isStarted = false;
  let wantNext = () => {};
  const write = (controller: ReadableStreamDefaultController<Uint8Array>, bytes: Uint8Array) => {
    const wanted = new Promise<void>((resolve) => {
      wantNext = resolve;
    });
    controller.enqueue(bytes);
    return wanted;
  };
  return {
    pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      if (isStarted) return wantNext();
      isStarted = true;
      const destination = new WritableStream<Uint8Array>({
        write: (bytes) => write(controller, bytes),
        close: () => controller.close(),
        abort: (reason) => controller.error(reason),
      });
      playToWriter(schedule, destination.getWriter(), cancelled.signal).catch(() => undefined);
    },
    cancel: (reason: unknown) => cancelled.abort(reason),
  };
}

/**
 * A replay as a Web stream. Its playback starts with the first read. `pipeTo`, which Next.js calls, writes each frame
 * directly to the destination: passing it through the queue of this stream would cost as much as writing it.
 */
class PlaybackStream extends ReadableStream<Uint8Array> {
  readonly #schedule: PlaybackSchedule;

  constructor(schedule: PlaybackSchedule) {
    super(sourceOf(schedule), { highWaterMark: 0 });
    this.#schedule = schedule;
  }

  override async pipeTo(destination: WritableStream<Uint8Array>, options: StreamPipeOptions = {}): Promise<void> {
    const { signal, preventAbort, preventCancel, preventClose } = options;
    const isOrdinary = this.locked || preventAbort || preventCancel || preventClose;
    if (isOrdinary) return super.pipeTo(destination, options);
    const writer = destination.getWriter();
    // Locks this stream, from which nothing is read.
    this.getReader();
    return playToWriter(this.#schedule, writer, signal);
  }
}

/** Returns a replay as a Web stream, for the route handler. Cancelling the stream stops the playback. */
export function playToStream({ schedule }: Replay): ReadableStream<Uint8Array> {
  return new PlaybackStream(schedule);
}
