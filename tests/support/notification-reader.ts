import { createParser, type EventSourceMessage } from "eventsource-parser";

type Options = { session: string; lastEventId?: string | null; key?: string };

/** Reads the notifications of a session's stream one by one. */
export class NotificationReader {
  readonly #waiting: EventSourceMessage[] = [];
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #controller: AbortController;
  readonly #parser = createParser({ onEvent: (event) => this.#waiting.push(event) });
  readonly #decoder = new TextDecoder();
  /** Id of the last event that `next` returned. */
  lastEventId: string | null = null;

  private constructor(body: ReadableStream<Uint8Array>, controller: AbortController) {
    this.#reader = body.getReader();
    this.#controller = controller;
  }

  static async open(origin: string, { session, lastEventId, key }: Options): Promise<NotificationReader> {
    const controller = new AbortController();
    const response = await fetch(`${origin}/api/mcp/v2`, {
      headers: {
        accept: "text/event-stream",
        "mcp-session-id": session,
        ...(lastEventId ? { "last-event-id": lastEventId } : {}),
        ...(key ? { authorization: `Bearer ${key}` } : {}),
      },
      signal: controller.signal,
    });
    if (!response.ok || !response.body) throw new Error(`The stream could not be opened: status ${response.status}`);
    return new NotificationReader(response.body, controller);
  }

  /** Returns the next notification, or null at the end of the stream. Skips events without data. */
  async next(): Promise<{ method: string; params?: Record<string, unknown> } | null> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event?.id) this.lastEventId = event.id;
      if (event?.data) return JSON.parse(event.data);
      if (event) continue;
      const { done, value } = await this.#reader.read();
      if (done) return null;
      this.#parser.feed(this.#decoder.decode(value, { stream: true }));
    }
  }

  close(): void {
    this.#controller.abort();
  }
}
