import { createParser } from "eventsource-parser";
import { printableLines } from "#lib/platform/printable";
import type { Output } from "./io";

type Json = Record<string, unknown>;

/** Dims the text (thinking and tool calls) on a terminal. */
function dim(text: string, isTerminal: boolean): string {
  return isTerminal ? `\u001b[2m${text}\u001b[22m` : text;
}

/** A value from a recording as text that cannot control the terminal. */
function printable(value: unknown): string {
  return printableLines(String(value ?? ""));
}

/** Renders a stream of Messages events in a terminal as it arrives. */
export class TerminalMessage {
  readonly #out: Output;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({ onEvent: ({ data }) => this.#event(data) });
  #lineIsOpen = false;

  constructor(out: Output) {
    this.#out = out;
  }

  feed(bytes: Uint8Array): void {
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
  }

  end(): void {
    if (this.#lineIsOpen) this.#write("\n");
  }

  #write(text: string, { quiet = false } = {}): void {
    if (text === "") return;
    this.#lineIsOpen = !text.endsWith("\n");
    this.#out.write(quiet ? dim(text, this.#out.isTTY === true) : text);
  }

  #heading(text: string): void {
    this.end();
    this.#write(`[${text}]\n`, { quiet: true });
  }

  #event(data: string): void {
    let json: Json;
    try {
      json = JSON.parse(data) as Json;
    } catch {
      return;
    }
    if (json.type === "content_block_start") this.#start((json.content_block ?? {}) as Json);
    else if (json.type === "content_block_delta") this.#delta((json.delta ?? {}) as Json);
    else if (json.type === "message_delta") this.#stop((json.delta ?? {}) as Json);
    else if (json.type === "error") this.#heading(`error: ${printable(JSON.stringify(json.error))}`);
  }

  #start(block: Json): void {
    if (block.type === "text") this.end();
    else this.#heading([block.type, block.name].filter(Boolean).map(printable).join(" "));
  }

  #delta(delta: Json): void {
    if (delta.type === "text_delta") this.#write(printable(delta.text));
    else if (delta.type === "thinking_delta") this.#write(printable(delta.thinking), { quiet: true });
    else if (delta.type === "input_json_delta") this.#write(printable(delta.partial_json), { quiet: true });
  }

  #stop({ stop_reason }: Json): void {
    if (stop_reason && stop_reason !== "end_turn") this.#heading(`stopped: ${printable(stop_reason)}`);
  }
}
