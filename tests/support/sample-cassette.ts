import { sealCassette, serializeCassette } from "#lib/replay/cassettes/seal-cassette";
import { messageEvents, sseOf } from "./provider-double";

/** Returns the file of a small valid cassette; `text` is the model's response. */
export function sampleCassette(id: string, text = "Hello there."): string {
  const events = messageEvents([text]);
  return serializeCassette(
    sealCassette({
      id,
      title: `Sample ${id}`,
      subtitle: "For the tests",
      provenance: {
        kind: "recorded",
        recorded_at: "2026-11-01T00:00:00Z",
        recorder: "tapedeck/1.0.0",
        timing: "measured",
        clock: "monotonic",
        boundary: "http-read",
        source: {},
      },
      request: { body: { model: "claude-test-1", messages: [{ role: "user", content: "Well?" }] }, redactions: [] },
      response: { status: 200, headers: { "content-type": "text/event-stream; charset=utf-8" } },
      chunks: events.map((event, index) => ({ deltaMs: index, bytes: sseOf(event) })),
      end: "complete",
    }),
  );
}
