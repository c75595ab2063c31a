import { pino } from "pino";
import { systemClock } from "#lib/platform/clock";
import { Catalogue } from "#lib/replay/cassettes/index";
import { answerRequest } from "#lib/replay/cassettes/request";
import { sealCassette, serializeCassette } from "#lib/replay/cassettes/seal-cassette";
import type { CassetteStore } from "#lib/replay/cassettes/stores/cassette-store";
import { anthropic } from "#lib/replay/providers/index";
import { messageEvents, sseOf } from "./provider-double";

export type SampleDraft = {
  id: string;
  title?: string;
  prompt?: string;
  /** Default: recorded. */
  kind?: "recorded" | "authored";
  /** Pieces in which the text arrives. */
  pieces?: readonly string[];
  /** Delay of each chunk by its index. Default: 1 ms after the first chunk. */
  delayMs?: (index: number) => number;
};

/** That of a recording. */
export const provenance = {
  kind: "recorded",
  recorded_at: "2026-11-01T00:00:00Z",
  recorder: "tapedeck/1.0.0",
  timing: "measured",
  clock: "monotonic",
  boundary: "http-read",
  source: {},
} as const;
export const authoredProvenance = { ...provenance, kind: "authored", timing: "synthetic", clock: "none" } as const;

/** Returns the file of a small valid cassette. */
export function sampleFile(draft: SampleDraft): string {
  const { id, title = `Sample ${id}`, prompt = "Well?", kind = "recorded", pieces = ["Hello there."] } = draft;
  const { delayMs = (index: number) => Math.min(index, 1) } = draft;
  return serializeCassette(
    sealCassette({
      id,
      title,
      subtitle: "For the tests",
      provenance: { ...provenance, kind },
      provider: anthropic,
      request: answerRequest(anthropic, {
        model: "claude-test-1",
        max_tokens: 100,
        messages: [{ role: "user", content: prompt }],
      }),
      response: { status: 200, headers: { "content-type": "text/event-stream; charset=utf-8" } },
      chunks: messageEvents(pieces).map((event, index) => ({ deltaMs: delayMs(index), bytes: sseOf(event) })),
      end: "complete",
    }),
  );
}

/** Returns the file of a small valid cassette with this text; each chunk is delayed longer than the previous one. */
export function sampleCassette(id: string, text?: string): string {
  return sampleFile({ id, pieces: text === undefined ? undefined : [text], delayMs: (index) => index });
}

/** Returns a catalogue of these cassettes in memory. */
export function catalogueOf(drafts: readonly SampleDraft[]): Catalogue {
  const files = new Map(drafts.map((draft) => [draft.id, Buffer.from(sampleFile(draft))]));
  return catalogueOver({
    kind: "folder",
    list: async () => [...files].map(([id, { byteLength }]) => ({ id, revision: "1", byteSize: byteLength })),
    read: async (id) => {
      const bytes = files.get(id);
      return bytes ? { bytes, revision: "1" } : null;
    },
  });
}

/** Returns a catalogue of a store. */
export function catalogueOver(store: CassetteStore): Catalogue {
  return new Catalogue({
    store,
    log: pino({ level: "silent" }),
    monotonicMs: systemClock.monotonicMs,
    maxAgeMs: Number.POSITIVE_INFINITY,
  });
}
