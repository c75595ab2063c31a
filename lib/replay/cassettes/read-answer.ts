import {
  type Answer,
  asObject,
  type Folded,
  framingOf,
  type Provider,
  type RecordedEvent,
  readEvents,
  type TimedChunk,
} from "#lib/replay/providers/index";

type Response = { headers: Readonly<Record<string, string>>; chunks: readonly TimedChunk[] };

/** A recorded response, read as its provider's protocol says. `answer` is null if no answer had begun. */
export type RecordedAnswer = Folded & { events: RecordedEvent[]; answer: Answer | null };

export function readRecordedAnswer(provider: Provider, { headers, chunks }: Response): RecordedAnswer {
  const events = readEvents(chunks, framingOf(headers["content-type"]));
  const folded = provider.fold(events);
  return { ...folded, events, answer: folded.body && provider.readAnswer(folded.body) };
}

/**
 * Returns the usage that a response reports: that of its answer, else that of its last event or its JSON, as embeddings, images
 * and transcriptions have it. Empty if it reports none.
 */
export function reportedUsage({ answer, events }: Pick<RecordedAnswer, "answer" | "events">): Record<string, unknown> {
  if (answer && Object.keys(answer.usage).length > 0) return answer.usage;
  const usages = events.map(({ json }) => asObject(json?.usage));
  return usages.findLast((usage) => Object.keys(usage).length > 0) ?? {};
}
