import { type Recording, readEvents } from "#lib/cassettes/index";
import type { Tick, TickKind } from "./tape";

const kindByDelta: Record<string, TickKind> = {
  text_delta: "text",
  citations_delta: "text",
  thinking_delta: "thinking",
  input_json_delta: "tool",
};

function kindOf(json: Record<string, unknown> | null): TickKind {
  if (json?.type === "error") return "error";
  const delta = json?.delta as { type?: string } | undefined;
  return kindByDelta[delta?.type ?? ""] ?? "other";
}

/** The ticks of a recording's tape: its events at their times. */
export function ticksOf({ chunks, dueMs }: Recording): Tick[] {
  const timed = chunks.map((bytes, index) => ({ bytes, deltaMs: (dueMs[index] as number) - (dueMs[index - 1] ?? 0) }));
  return readEvents(timed).map(({ atMs, json }) => ({ atMs, kind: kindOf(json) }));
}
