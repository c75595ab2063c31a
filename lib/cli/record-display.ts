import type { Recorded, RecordProgress } from "#lib/replay/cassettes/recorder/index";
import { shortPath, sizeText } from "./cassette-options";
import { TerminalMessage } from "./terminal-message";

type Options = {
  /** Whether the answer's text is written to standard output. */
  showsText: boolean;
  /** Whether there is a progress line; only ever on a terminal. */
  showsProgress: boolean;
};

const redrawMs = 200;
const clearLine = "\r\u001b[K";

/**
 * What a recording shows while it runs: the answer on standard output, and a line of progress on standard error
 * as long as the two do not share a terminal.
 */
export class RecordDisplay {
  readonly #message = new TerminalMessage(process.stdout);
  readonly #showsText: boolean;
  #showsProgress: boolean;
  #progress: RecordProgress = { byteSize: 0, chunkCount: 0, elapsedMs: 0, firstTokenMs: null };
  readonly #timer: NodeJS.Timeout;
  readonly #startedAtMs = performance.now();

  constructor({ showsText, showsProgress }: Options) {
    this.#showsText = showsText;
    this.#showsProgress = showsProgress && process.stderr.isTTY === true;
    this.#timer = setInterval(() => this.#draw(), redrawMs).unref();
    this.#draw();
  }

  bytes(bytes: Uint8Array): void {
    if (!this.#showsText) return;
    if (process.stdout.isTTY) this.#stopProgress();
    this.#message.feed(bytes);
  }

  progress(progress: RecordProgress): void {
    this.#progress = progress;
  }

  end(): void {
    this.#stopProgress();
    if (this.#showsText) this.#message.end();
  }

  #stopProgress(): void {
    clearInterval(this.#timer);
    if (this.#showsProgress) process.stderr.write(clearLine);
    this.#showsProgress = false;
  }

  #draw(): void {
    if (!this.#showsProgress) return;
    const { byteSize, chunkCount } = this.#progress;
    const seconds = ((performance.now() - this.#startedAtMs) / 1000).toFixed(1);
    const state = chunkCount === 0 ? "waiting for the answer" : `${chunkCount} chunks, ${sizeText(byteSize)}`;
    process.stderr.write(`${clearLine}${state}, ${seconds} s`);
  }
}

/** One line for a person. */
export function describeRecorded(recorded: Recorded): string {
  const { chunkCount, bodyByteSize, durationMs, firstTokenMs, redactionCount, end, path } = recorded;
  const parts = [
    `${chunkCount} chunks`,
    sizeText(bodyByteSize),
    `${(durationMs / 1000).toFixed(2)} s`,
    firstTokenMs === null ? "no token" : `first token after ${Math.round(firstTokenMs)} ms`,
    redactionCount === 1 ? "1 secret removed" : `${redactionCount} secrets removed`,
  ];
  const kept = end === "complete" ? "" : ` (${end})`;
  return `Recorded ${recorded.id}${kept}: ${parts.join(", ")}. In ${shortPath(path)}\n`;
}
