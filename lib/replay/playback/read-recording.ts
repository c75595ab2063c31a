import { jsonLength, pageJsonText, shorten } from "#lib/contract/fit-json";
import { AppError } from "#lib/platform/errors";
import { type Catalogue, type Recording, readRecordingEvents, visibleText } from "#lib/replay/cassettes/index";
import type { RecordedEvent } from "#lib/replay/providers/index";

type ReadContext = { catalogue: Catalogue };

async function requireListedRecording({ catalogue }: ReadContext, id: string): Promise<Recording> {
  const recording = await catalogue.recording(id);
  if (recording) return recording;
  throw new AppError("not_found", `There is no cassette ${id}. Call list_cassettes for the ids.`);
}

/** Returns every event of a cassette with its time. Throws AppError not_found and service_unavailable. */
export async function readRecordedEvents(context: ReadContext, id: string): Promise<RecordedEvent[]> {
  return readRecordingEvents(await requireListedRecording(context, id));
}

/** Returns the whole visible text of a cassette; the catalogue keeps only the beginning of a long one. */
export async function readWholeText(context: ReadContext, id: string): Promise<string> {
  const recording = await requireListedRecording(context, id);
  const { body } = recording.provider.fold(readRecordingEvents(recording));
  return body ? visibleText(recording.provider.readAnswer(body).parts) : "";
}

/** An event in a tool's result. */
type ListedEvent = {
  /** Milliseconds from the request to the event. */
  at_ms: number;
  event: string;
  data: string;
  /** Set if the event is larger than a page: its data continues in the next page's first event. */
  data_continues?: true;
};

/** Most events on a page. */
const maxEventCount = 100;
const maxNameLength = 200;

/** A position in a cassette: the number of an event, and the offset in its data. */
export const eventPosition = /^\d{1,9}\.\d{1,9}$/;
const firstPosition = "0.0";

function toListedEvent({ atMs, event, data }: RecordedEvent, offset: number): ListedEvent {
  return { at_ms: Math.round(atMs * 1_000) / 1_000, event: shorten(event, maxNameLength), data: data.slice(offset) };
}

/** Returns the first part of an event that does not fit on one page. */
function firstPart(event: ListedEvent, maxLength: number): ListedEvent {
  const maxDataLength = maxLength - jsonLength({ ...event, data: "", data_continues: true });
  const { text: data } = pageJsonText(event.data, { cursor: null, maxLength: maxDataLength });
  return { ...event, data, data_continues: true };
}

type PageInput = {
  /** Matches `eventPosition`; null for the first page. */
  position: string | null;
  maxLength: number;
};

/**
 * Returns the events from a position on, at most `maxLength` characters of JSON. `next` is the position of the next
 * page, null on the last one.
 */
export function pageEvents(
  all: readonly RecordedEvent[],
  { position, maxLength }: PageInput,
): { events: ListedEvent[]; next: string | null } {
  const events: ListedEvent[] = [];
  let [index = 0, offset = 0] = (position ?? firstPosition).split(".").map(Number);
  let remainingLength = maxLength;
  for (let recorded = all[index]; recorded && events.length < maxEventCount; recorded = all[index]) {
    const event = toListedEvent(recorded, offset);
    remainingLength -= jsonLength(event) + ",".length;
    if (remainingLength < 0) {
      if (events.length > 0) break;
      const part = firstPart(event, maxLength);
      return { events: [part], next: `${index}.${offset + part.data.length}` };
    }
    events.push(event);
    index += 1;
    offset = 0;
  }
  return { events, next: index < all.length ? `${index}.0` : null };
}
