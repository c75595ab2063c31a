import fc from "fast-check";
import { expect, it } from "vitest";
import { type Folded, framingOf, type Provider, type RecordedEvent, readEvents } from "#lib/replay/providers/index";

type Json = Record<string, unknown>;

const encoder = new TextEncoder();

/** Returns the events of a body in one chunk. */
export function eventsOf(body: string, contentType = "text/event-stream"): RecordedEvent[] {
  return readEvents([{ deltaMs: 0, bytes: encoder.encode(body) }], framingOf(contentType));
}

/** Returns a stream of server-sent events, named by their type if they have one. */
export function toStream(events: readonly (Json | string)[]): string {
  return events
    .map((event) => {
      if (typeof event === "string") return `data: ${event}\n\n`;
      const name = typeof event.type === "string" ? `event: ${event.type}\n` : "";
      return `${name}data: ${JSON.stringify(event)}\n\n`;
    })
    .join("");
}

export function foldStream({ fold }: Provider, events: readonly (Json | string)[]): Folded {
  return fold(eventsOf(toStream(events)));
}

/** Folds a response that was not streamed. */
export function foldJson({ fold }: Provider, body: unknown): Folded {
  return fold(eventsOf(JSON.stringify(body), "application/json"));
}

/** Returns what an answer is after it was sent as a stream. */
export function sendAsStream({ unfold, fold }: Provider, body: Json): Folded {
  const { contentType, events } = unfold(body);
  return fold(eventsOf(events.join(""), contentType));
}

/** A test that each of these answers is the same after it was sent as a stream. */
export function itStreams(provider: Provider, answer: fc.Arbitrary<Json>): void {
  it("sent as a stream is the same answer", () => {
    fc.assert(
      fc.property(answer, (body) => {
        expect(sendAsStream(provider, body)).toEqual({ body, error: null, isEnded: true });
      }),
    );
  });
}

export const arbitraryText = fc.string({ unit: "grapheme", maxLength: 12 });

const keys = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 3 });

/** Arguments of a tool. */
export const arbitraryInput = fc.dictionary(
  keys,
  fc.oneof(arbitraryText, fc.integer(), fc.boolean(), fc.array(arbitraryText, { maxLength: 2 })),
  { maxKeys: 3, noNullPrototype: true },
);
