import { createParser } from "eventsource-parser";

/** What a stream says of itself while it arrives. */
export type StreamState = {
  /** Whether `message_stop` came. */
  stopped: boolean;
  /** The `error` object of an `error` event. */
  error: unknown;
  eventCount: number;
};

export type Delta = { kind: "text" | "thinking" | "input"; text: string };

const kinds = { text_delta: "text", thinking_delta: "thinking", input_json_delta: "input" } as const;
const members = { text: "text", thinking: "thinking", input: "partial_json" } as const;

function parse(data: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(data);
    return value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function readDelta(json: Record<string, unknown>): Delta | undefined {
  const delta = (json.delta ?? {}) as Record<string, unknown>;
  const kind = kinds[delta.type as keyof typeof kinds];
  const text = kind && delta[members[kind]];
  return typeof text === "string" && text !== "" ? { kind, text } : undefined;
}

/** Follows a stream of Messages events and tells of what the model says. */
export class StreamWatcher {
  readonly state: StreamState = { stopped: false, error: undefined, eventCount: 0 };
  readonly #decoder = new TextDecoder();
  readonly #parser;

  constructor(onDelta: (delta: Delta) => void) {
    this.#parser = createParser({
      onEvent: ({ data }) => {
        const json = parse(data);
        this.state.eventCount += 1;
        if (json.type === "message_stop") this.state.stopped = true;
        else if (json.type === "error") this.state.error = json.error ?? {};
        else if (json.type === "content_block_delta") {
          const delta = readDelta(json);
          if (delta) onDelta(delta);
        }
      },
    });
  }

  feed(bytes: Uint8Array): void {
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
  }
}
