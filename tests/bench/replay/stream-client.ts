import { createHash } from "node:crypto";
import { connect, type Socket } from "node:net";
import type { StreamGroup } from "./load";

/**
 * All sockets read into this buffer: libuv fills it and calls back before it reads from another socket, and data that is
 * needed later is copied.
 */
const readBuffer = Buffer.allocUnsafe(64 * 1024);
/** Bytes of a body that are stored in addition to the recording's size. Any more are only counted. */
const spareBodyByteSize = 4096;
const maxHeadByteSize = 16 * 1024;
/** Digits of a chunk's size, with an extension. */
const maxLineByteSize = 64;
const [lineFeed, carriageReturn] = [10, 13];

/**
 * One connection that replays one stream and records when each chunk arrived. It reads HTTP from the socket itself: measured
 * with the client of node:http, this process took 40 % more time, and the 99th percentile of every server was higher.
 */
export class StreamClient {
  /** When the request was written, in milliseconds of `performance.now()`. */
  requestedAtMs = Number.NaN;
  arrivedCount = 0;
  readonly arrivalsMs: Float64Array;
  failure: string | undefined;
  readonly #body: Buffer;
  #bodyByteSize = 0;
  #hasEnded = false;
  #socket: Socket | undefined;
  #head = "";
  #hasHead = false;
  /** The line with the size of the next chunk, as far as it has arrived, and the bytes that are left of this chunk. */
  #line = "";
  #left = 0;
  #previousByte = 0;

  constructor(
    readonly group: StreamGroup,
    private readonly onEnd: () => void,
  ) {
    this.arrivalsMs = new Float64Array(group.expectation.endOffsets.length);
    this.#body = Buffer.allocUnsafe(group.expectation.byteSize + spareBodyByteSize);
  }

  open(onConnect: () => void): void {
    const callback = (byteCount: number, buffer: Uint8Array) => {
      if (!this.#hasEnded) this.#read(buffer as Buffer, byteCount);
      return true;
    };
    const { port } = this.group;
    this.#socket = connect({ host: "127.0.0.1", port, noDelay: true, onread: { buffer: readBuffer, callback } });
    this.#socket.once("connect", onConnect);
    this.#socket.on("error", (error: NodeJS.ErrnoException) => this.finish(error.code ?? error.message));
    this.#socket.once("close", () => this.finish("closed before the end"));
  }

  /** Sends the request, with which the schedule from the request starts. */
  request(): void {
    this.requestedAtMs = performance.now();
    this.#socket?.write(this.group.request, "latin1");
  }

  /** Ends the stream, with a reason if it was not complete. */
  finish(failure?: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.failure = failure ?? (this.arrivedCount < this.arrivalsMs.length ? "chunks are missing" : undefined);
    if (failure === undefined) this.#socket?.end();
    else this.#socket?.destroy();
    this.onEnd();
  }

  /** Reads a response with status 200 and chunked transfer coding, wherever its pieces are cut. */
  #read(buffer: Buffer, end: number): void {
    const nowMs = performance.now();
    let at = this.#hasHead ? 0 : this.#readHead(buffer, end);
    while (at < end && !this.#hasEnded) {
      if (this.#left > 0) {
        const stop = Math.min(end, at + this.#left);
        this.#left -= stop - at;
        this.#take(buffer, at, stop, nowMs);
        at = stop;
        continue;
      }
      const byte = buffer[at++]!;
      if (byte === lineFeed && this.#line !== "") this.#beginChunk();
      else if (byte !== lineFeed && byte !== carriageReturn) this.#line += String.fromCharCode(byte);
      if (this.#line.length > maxLineByteSize) this.finish("not a chunk's size");
    }
  }

  #readHead(buffer: Buffer, end: number): number {
    const before = this.#head.length;
    this.#head += buffer.toString("latin1", 0, end);
    const headEnd = this.#head.indexOf("\r\n\r\n");
    if (headEnd < 0) {
      if (this.#head.length > maxHeadByteSize) this.finish("the head is too long");
      return end;
    }
    this.#hasHead = true;
    const head = this.#head.slice(0, headEnd);
    if (!/^HTTP\/1\.1 200 .*^transfer-encoding: chunked/ims.test(head)) this.finish(head.slice(0, 80));
    return headEnd + 4 - before;
  }

  #beginChunk(): void {
    this.#left = Number.parseInt(this.#line, 16);
    this.#line = "";
    if (Number.isNaN(this.#left)) this.finish("not a chunk's size");
    else if (this.#left === 0) this.finish();
  }

  #take(buffer: Buffer, start: number, end: number, nowMs: number): void {
    buffer.copy(this.#body, this.#bodyByteSize, start, end);
    this.#bodyByteSize += end - start;
    // If a server sends more events than were recorded, this writes past the end, which a typed array ignores.
    if (this.group.boundary === "byte") {
      const { endOffsets } = this.group.expectation;
      while (this.#bodyByteSize >= endOffsets[this.arrivedCount]!) this.arrivalsMs[this.arrivedCount++] = nowMs;
      return;
    }
    for (let at = start; at < end; at++) {
      const byte = buffer[at]!;
      if (byte === lineFeed && this.#previousByte === lineFeed) this.arrivalsMs[this.arrivedCount++] = nowMs;
      this.#previousByte = byte;
    }
  }

  isIdentical(): boolean {
    const { byteSize, bodySha256 } = this.group.expectation;
    const body = this.#body.subarray(0, this.#bodyByteSize);
    return this.#bodyByteSize === byteSize && createHash("sha256").update(body).digest("hex") === bodySha256;
  }

  /** Returns the start of the stream's own schedule: its first chunk's arrival minus the recorded delay before it. */
  get originMs(): number {
    return this.arrivalsMs[0]! - this.group.expectation.dueMs[0]!;
  }
}
