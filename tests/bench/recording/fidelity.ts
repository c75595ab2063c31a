import { hashJson, readRecordedAnswer } from "#lib/replay/cassettes/index";
import type { Json } from "#tests/support/conversation-protocols";
import type { Stream } from "./streams";

/** What is counted in a stream. Each is a list of texts, of which a replay keeps some. */
export const counted = ["events", "ids", "usage", "stop reasons", "signatures", "text"] as const;
export type Counted = (typeof counted)[number];

const idNames = new Set(["id", "item_id", "call_id", "response_id", "responseId", "tool_use_id", "system_fingerprint"]);
const signatureNames = new Set(["signature", "thoughtSignature", "encrypted_content"]);
const stopNames = new Set(["stop_reason", "stop_sequence", "finish_reason", "finishReason", "done_reason"]);
const usageNames = new Set(["usage", "usageMetadata", "prompt_eval_count", "eval_count"]);

/** Returns the values of all members with these names, as `name: value`. */
function membersOf(value: unknown, names: ReadonlySet<string>, found: string[] = []): string[] {
  if (value === null || typeof value !== "object") return found;
  for (const [name, member] of Object.entries(value)) {
    if (names.has(name) && !Array.isArray(value) && member !== null && member !== "") {
      found.push(`${name}: ${JSON.stringify(member)}`);
    }
    membersOf(member, names, found);
  }
  return found;
}

/** Reads what is counted of a stream's bytes. */
function read({ provider, contentType }: Stream, bytes: Uint8Array): Record<Counted, string[]> {
  const answer = readRecordedAnswer(provider, {
    headers: { "content-type": contentType },
    chunks: [{ deltaMs: 0, bytes }],
  });
  const { events } = answer;
  const json = events.map((event): Json => event.json ?? {});
  const unique = (names: ReadonlySet<string>) => [...new Set(membersOf(json, names))];
  const text = (answer.answer?.parts ?? []).flatMap((part) => (part.kind === "text" ? [part.text] : []));
  return {
    events: events.map(({ event, data, json }) => hashJson([event, json ?? data])),
    ids: unique(idNames),
    usage: unique(usageNames),
    "stop reasons": unique(stopNames),
    signatures: unique(signatureNames),
    text: [text.join("")],
  };
}

type Count = { kept: number; of: number };
export type Kept = Record<Counted, Count> & { isIdentical: boolean };

/** Counts what a replay kept of a stream. */
export function compare(stream: Stream, replayed: Uint8Array): Kept {
  const [before, after] = [read(stream, stream.bytes), read(stream, replayed)];
  const counts = counted.map((name) => {
    const left = [...after[name]];
    const kept = before[name].filter((item) => {
      const index = left.indexOf(item);
      if (index >= 0) left.splice(index, 1);
      return index >= 0;
    });
    return [name, { kept: kept.length, of: before[name].length }] as const;
  });
  return { ...(Object.fromEntries(counts) as Record<Counted, Count>), isIdentical: stream.bytes.equals(replayed) };
}
