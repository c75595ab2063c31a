import { pino } from "pino";
import { systemClock } from "#lib/platform/clock";
import { Catalogue } from "#lib/replay/cassettes/index";
import { sealCassette, serializeCassette } from "#lib/replay/cassettes/seal-cassette";
import { messageEvents, sseOf } from "./provider-double";

export type CassetteDraft = { id: string; title?: string; prompt?: string; pieces?: readonly string[] };

/** Returns the file of a cassette whose response arrived in these pieces, one millisecond apart. */
function fileOf({ id, title = `Sample ${id}`, prompt = "Well?", pieces = ["Hello."] }: CassetteDraft): Uint8Array {
  const sealed = sealCassette({
    ...{ id, title, subtitle: "For the tests" },
    provenance: {
      ...{ kind: "recorded", recorded_at: "2026-11-01T00:00:00Z", recorder: "tapedeck/1.0.0", timing: "measured" },
      ...{ clock: "monotonic", boundary: "http-read", source: {} },
    },
    request: { body: { model: "claude-test-1", messages: [{ role: "user", content: prompt }] }, redactions: [] },
    response: { status: 200, headers: { "content-type": "text/event-stream; charset=utf-8" } },
    chunks: messageEvents(pieces).map((event, index) => ({ deltaMs: index > 0 ? 1 : 0, bytes: sseOf(event) })),
    end: "complete",
  });
  return Buffer.from(serializeCassette(sealed));
}

/** Returns a catalogue of these cassettes. */
export function catalogueOf(drafts: readonly CassetteDraft[]): Catalogue {
  const files = new Map(drafts.map((draft) => [draft.id, fileOf(draft)]));
  return new Catalogue({
    store: {
      kind: "folder",
      list: async () => [...files].map(([id, { byteLength }]) => ({ id, revision: "1", byteSize: byteLength })),
      read: async (id) => {
        const bytes = files.get(id);
        return bytes ? { bytes, revision: "1" } : null;
      },
    },
    log: pino({ level: "silent" }),
    monotonicMs: systemClock.monotonicMs,
    maxAgeMs: Number.POSITIVE_INFINITY,
  });
}
