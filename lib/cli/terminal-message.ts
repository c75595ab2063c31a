import { printableLines } from "#lib/platform/printable";
import type { AnswerPart, Delta } from "#lib/replay/providers/index";
import type { Output } from "./io";

/** Dims the text (thinking and tool calls) on a terminal. */
function dim(text: string, isTerminal: boolean): string {
  return isTerminal ? `\u001b[2m${text}\u001b[22m` : text;
}

/** Why answers end that are complete, in the words of all providers. Other reasons are shown. */
const completeReasons = new Set(["end_turn", "stop", "STOP", "completed"]);

/** Writes an answer to a terminal as it arrives, or as a whole. Recorded text cannot control the terminal. */
export class TerminalMessage {
  readonly #out: Output;
  #lineIsOpen = false;
  #kind: Delta["kind"] = "text";

  constructor(out: Output) {
    this.#out = out;
  }

  /** Writes what an event adds to the answer. */
  delta({ kind, text, name }: Delta): void {
    if (kind === "error") return this.#heading(`error: ${text}`);
    if (name !== undefined) this.#heading(`tool ${name}`);
    else if (kind !== this.#kind && kind === "thinking") this.#heading("thinking");
    else if (kind !== this.#kind) this.#endLine();
    this.#kind = kind;
    this.#write(text, { quiet: kind !== "text" });
  }

  /** Writes an answer that was not streamed. */
  parts(parts: readonly AnswerPart[]): void {
    for (const part of parts) {
      if (part.kind === "tool") this.delta({ kind: "tool", text: part.input, name: part.name });
      else if (part.kind === "result") this.#heading(`result ${part.name}`);
      else this.delta({ kind: part.kind === "thinking" ? "thinking" : "text", text: part.text });
    }
  }

  /** Writes why the answer ended, unless it is complete. */
  end(stopReason: string | null = null): void {
    if (stopReason !== null && !completeReasons.has(stopReason)) this.#heading(`stopped: ${stopReason}`);
    this.#endLine();
  }

  #endLine(): void {
    if (this.#lineIsOpen) this.#write("\n");
  }

  #write(text: string, { quiet = false } = {}): void {
    if (text === "") return;
    this.#lineIsOpen = !text.endsWith("\n");
    const shown = printableLines(text);
    this.#out.write(quiet ? dim(shown, this.#out.isTTY === true) : shown);
  }

  #heading(text: string): void {
    this.#endLine();
    this.#write(`[${text}]\n`, { quiet: true });
  }
}
