/** Receives the decoded bytes of the body: `buffer` from `start` up to `end`. */
export type BodySink = (buffer: Uint8Array, start: number, end: number) => void;

/** Maximum size of a response head, in bytes. */
export const maxHeadByteSize = 16 * 1024;
/** Maximum size of a chunk-size line including extensions, in bytes. */
export const maxSizeLineByteSize = 1024;

/** Eight hexadecimal digits: chunks of up to 4 GiB. */
const maxSizeDigitCount = 8;

const lineFeed = 10;
const carriageReturn = 13;
/** Semicolon, space and tab, which can follow the size on its line. */
const extensionStarts = new Set([59, 32, 9]);

type State = "head" | "size" | "data" | "data-end" | "trailer" | "until-close" | "done";

/**
 * Reads one HTTP/1.1 response from the socket's pieces, wherever they are cut, and passes on the body without its
 * transfer coding. It copies and allocates nothing per piece, because the load generator shares two cores with the
 * measured server.
 */
export class ResponseDecoder {
  /** The status, 0 until the head is complete. */
  status = 0;
  headers: Record<string, string> = {};
  #state: State = "head";
  #head = "";
  #line = "";
  #remaining = 0;
  #lineByteSize = 0;
  #digitCount = 0;
  #inExtension = false;

  /** Whether the response is complete according to its framing. */
  get complete(): boolean {
    return this.#state === "done";
  }

  /** Call when the peer closes its side, which completes a response only without a length and a transfer coding. */
  close(): void {
    if (this.#state === "until-close") this.#state = "done";
  }

  /** Reads the bytes of `buffer` from `start` up to `end`. Throws if they are not valid HTTP/1.1. */
  push(buffer: Uint8Array, start: number, end: number, sink: BodySink): void {
    let at = start;
    while (at < end) {
      switch (this.#state) {
        case "head":
          at = this.#readHead(buffer, at, end);
          break;
        case "size":
          at = this.#readSizeLine(buffer, at, end);
          break;
        case "data": {
          const stop = Math.min(end, at + this.#remaining);
          sink(buffer, at, stop);
          this.#remaining -= stop - at;
          if (this.#remaining === 0) this.#state = this.headers["content-length"] === undefined ? "data-end" : "done";
          at = stop;
          break;
        }
        case "data-end": {
          const byte = buffer[at++];
          if (byte === lineFeed) this.#state = "size";
          else if (byte !== carriageReturn) throw new Error("a chunk is longer than its size says");
          break;
        }
        case "trailer":
          at = this.#readTrailerLine(buffer, at, end);
          break;
        case "until-close":
          sink(buffer, at, end);
          return;
        case "done":
          throw new Error("bytes after the end of the response");
      }
    }
  }

  #readHead(buffer: Uint8Array, start: number, end: number): number {
    const before = this.#head.length;
    this.#head += latin1(buffer, start, end);
    const headEnd = this.#head.indexOf("\r\n\r\n");
    if ((headEnd < 0 ? this.#head.length : headEnd) > maxHeadByteSize) throw new Error("the response head is too long");
    if (headEnd < 0) return end;
    const [statusLine, ...lines] = this.#head.slice(0, headEnd).split("\r\n");
    const status = /^HTTP\/1\.1 (\d{3})(?: |$)/.exec(statusLine!)?.[1];
    if (status === undefined) throw new Error(`not an HTTP/1.1 response: ${JSON.stringify(statusLine!.slice(0, 80))}`);
    for (const line of lines) {
      const colon = line.indexOf(":");
      this.headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
    }
    this.status = Number(status);
    this.#head = this.#head.slice(0, headEnd + 4);
    this.#beginBody();
    return start + this.#head.length - before;
  }

  #beginBody(): void {
    const length = this.headers["content-length"];
    if (this.headers["transfer-encoding"]?.toLowerCase() === "chunked") this.#state = "size";
    else if (length === undefined) this.#state = "until-close";
    else {
      this.#remaining = Number(length);
      this.#state = this.#remaining === 0 ? "done" : "data";
    }
  }

  #readSizeLine(buffer: Uint8Array, start: number, end: number): number {
    for (let at = start; at < end; at++) {
      const byte = buffer[at]!;
      if (++this.#lineByteSize > maxSizeLineByteSize) throw new Error("a chunk-size line is too long");
      if (byte === lineFeed) {
        if (this.#digitCount === 0) throw new Error("a chunk-size line without a size");
        this.#state = this.#remaining === 0 ? "trailer" : "data";
        this.#lineByteSize = 0;
        this.#digitCount = 0;
        this.#inExtension = false;
        return at + 1;
      }
      if (this.#inExtension || byte === carriageReturn) continue;
      const digit = hexDigit(byte);
      if (digit >= 0 && this.#digitCount < maxSizeDigitCount) {
        this.#remaining = this.#remaining * 16 + digit;
        this.#digitCount++;
      } else if (digit < 0 && extensionStarts.has(byte)) this.#inExtension = true;
      else throw new Error("not a chunk-size line");
    }
    return end;
  }

  #readTrailerLine(buffer: Uint8Array, start: number, end: number): number {
    const feed = buffer.indexOf(lineFeed, start);
    const stop = feed < 0 || feed >= end ? end : feed + 1;
    this.#line += latin1(buffer, start, stop);
    if (this.#line.length > maxHeadByteSize) throw new Error("the trailers are too long");
    if (!this.#line.endsWith("\n")) return stop;
    if (this.#line === "\r\n" || this.#line === "\n") this.#state = "done";
    this.#line = "";
    return stop;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

function latin1(buffer: Uint8Array, start: number, end: number): string {
  return Buffer.from(buffer.buffer, buffer.byteOffset + start, end - start).toString("latin1");
}
