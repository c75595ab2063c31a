import { formatCount } from "#lib/platform/format-count";
import type { Listeners, Recorded, RecordProgress } from "#lib/replay/cassettes/recorder/index";
import { shortPath, sizeText } from "./cassette-files";
import type { CommandIo } from "./io";
import { TerminalMessage } from "./terminal-message";

type Options = {
  /** Whether the text of the answer is written to standard output. */
  showsText: boolean;
  /** Whether to show a progress line, which needs a terminal. */
  showsProgress: boolean;
};

const redrawMs = 200;
const clearLine = "\r\u001b[K";

/**
 * Output of a running recording: the answer on standard output, and a progress line on standard error until text
 * appears on the same terminal.
 */
export class RecordDisplay {
  readonly #io: CommandIo;
  readonly #message: TerminalMessage;
  readonly #showsText: boolean;
  #showsProgress: boolean;
  #progress: RecordProgress = { byteSize: 0, chunkCount: 0, elapsedMs: 0, firstTokenMs: null };
  readonly #timer: NodeJS.Timeout;
  readonly #startedAtMs = performance.now();

  constructor(io: CommandIo, { showsText, showsProgress }: Options) {
    this.#io = io;
    this.#message = new TerminalMessage(io.stdout);
    this.#showsText = showsText;
    this.#showsProgress = showsProgress && io.stderr.isTTY === true;
    this.#timer = setInterval(() => this.#draw(), redrawMs).unref();
    this.#draw();
  }

  readonly listeners: Listeners = {
    onDelta: (delta) => {
      if (!this.#showsText) return;
      if (this.#io.stdout.isTTY) this.#stopProgress();
      this.#message.delta(delta);
    },
    onAnswer: ({ parts, stopReason }, isStream) => {
      if (!this.#showsText) return;
      this.#stopProgress();
      if (!isStream) this.#message.parts(parts);
      this.#message.end(stopReason);
    },
    onProgress: (progress) => {
      this.#progress = progress;
    },
  };

  end(): void {
    this.#stopProgress();
    if (this.#showsText) this.#message.end();
  }

  #stopProgress(): void {
    clearInterval(this.#timer);
    if (this.#showsProgress) this.#io.stderr.write(clearLine);
    this.#showsProgress = false;
  }

  #draw(): void {
    if (!this.#showsProgress) return;
    const { byteSize, chunkCount } = this.#progress;
    const seconds = ((performance.now() - this.#startedAtMs) / 1000).toFixed(1);
    const state = chunkCount === 0 ? "waiting for the answer" : `${chunkCount} chunks, ${sizeText(byteSize)}`;
    this.#io.stderr.write(`${clearLine}${state}, ${seconds} s`);
  }
}

export function describeRecorded(recorded: Recorded): string {
  const { chunkCount, bodyByteSize, durationMs, firstTokenMs, redactionCount, end, path } = recorded;
  const parts = [
    formatCount(chunkCount, "chunk"),
    sizeText(bodyByteSize),
    `${(durationMs / 1000).toFixed(2)} s`,
    ...(firstTokenMs === null ? [] : [`first token after ${Math.round(firstTokenMs)} ms`]),
    redactionCount === 1 ? "1 secret removed" : `${redactionCount} secrets removed`,
  ];
  const note = end === "complete" ? "" : ` (${end})`;
  return `Recorded ${recorded.id}${note}: ${parts.join(", ")}. Written to ${shortPath(path)}\n`;
}
