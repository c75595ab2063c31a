import {
  type Answer,
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
