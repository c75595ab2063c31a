import { connect, type Socket } from "node:net";
import type { StreamGroup } from "./load-job";
import { ResponseDecoder } from "./response-decoder";

/**
 * All sockets read into this buffer: libuv fills it and calls back before it reads from another socket, and data that is
 * needed later is copied.
 */
const readBuffer = Buffer.allocUnsafe(64 * 1024);
/** Bytes of a body that are stored in addition to the recording's size. Any more are only counted. */
const spareBodyByteSize = 4096;
const lineFeed = 10;

/** One connection that replays one stream and records when each chunk arrived. */
export class StreamClient {
  /** When the request was written, in milliseconds of `performance.now()`; NaN before. */
  requestedAtMs = Number.NaN;
  /** Chunks that arrived; their times are in `arrivalsMs`. */
  arrivedCount = 0;
  readonly body: Buffer;
  bodyByteSize = 0;
  failure: string | undefined;
  ended = false;
  readonly #decoder = new ResponseDecoder();
  readonly #endOffsets: readonly number[];
  readonly #byEvent: boolean;
  #socket: Socket | undefined;
  #previousByte = 0;
  #nowMs = 0;

  constructor(
    readonly group: StreamGroup,
    /** Arrival times to fill in: one number per chunk, NaN until it has arrived. */
    readonly arrivalsMs: Float64Array,
    private readonly onEnd: () => void,
  ) {
    this.#endOffsets = group.expectation.endOffsets;
    this.#byEvent = group.boundary === "event";
    this.body = Buffer.allocUnsafe(group.expectation.byteSize + spareBodyByteSize);
  }

  open(onConnect: () => void): void {
    const socket = connect({
      host: "127.0.0.1",
      port: this.group.port,
      noDelay: true,
      onread: {
        buffer: readBuffer,
        callback: (byteCount, buffer) => {
          this.#read(byteCount, buffer);
          return true;
        },
      },
    });
    this.#socket = socket;
    socket.once("connect", onConnect);
    socket.once("error", (error: NodeJS.ErrnoException) => this.finish(error.code ?? error.message));
    socket.once("close", () => this.#closed());
  }

  /** Sends the request, with which the schedule from the request starts. */
  request(): void {
    this.requestedAtMs = performance.now();
    this.#socket?.write(this.group.request, "latin1");
  }

  /** Ends the stream, with a reason if it was not complete. */
  finish(failure?: string): void {
    if (this.ended) return;
    this.ended = true;
    this.failure = failure ?? (this.arrivedCount < this.arrivalsMs.length ? "chunks are missing" : undefined);
    if (failure === undefined) this.#socket?.end();
    else this.#socket?.destroy();
    this.onEnd();
  }

  #closed(): void {
    this.#decoder.close();
    this.finish(this.#decoder.complete ? undefined : "closed before the end");
  }

  #read(byteCount: number, buffer: Uint8Array): void {
    if (this.ended) return;
    this.#nowMs = performance.now();
    try {
      this.#decoder.push(buffer, 0, byteCount, this.#take);
    } catch (error) {
      this.finish((error as Error).message);
      return;
    }
    if (this.#decoder.complete) this.finish(this.#decoder.status === 200 ? undefined : `${this.#decoder.status}`);
  }

  readonly #take = (buffer: Uint8Array, start: number, end: number): void => {
    (buffer as Buffer).copy(this.body, this.bodyByteSize, start, end);
    this.bodyByteSize += end - start;
    if (this.#byEvent) this.#noteEvents(buffer, start, end);
    else while (this.bodyByteSize >= this.#endOffsets[this.arrivedCount]!) this.#note();
  };

  #noteEvents(buffer: Uint8Array, start: number, end: number): void {
    for (let at = start; at < end; at++) {
      const byte = buffer[at]!;
      if (byte === lineFeed && this.#previousByte === lineFeed) this.#note();
      this.#previousByte = byte;
    }
  }

  #note(): void {
    // If a server sends more events than were recorded, this writes past the end, which a typed array ignores.
    this.arrivalsMs[this.arrivedCount++] = this.#nowMs;
  }
}
