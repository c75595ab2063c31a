import { jsonLength, pageJsonText, shorten } from "#lib/contract/fit-json";
import type { RecordedEvent } from "#lib/replay/cassettes/index";

/** An event as a tool's result has it. */
export type ListedEvent = {
  /** Milliseconds from the request to the event. */
  at_ms: number;
  event: string;
  data: string;
  /** Where one event is larger than a page: its data goes on in the next page's first event. */
  data_continues?: true;
};

/** Most events of a page. */
const maxEventCount = 100;
const maxNameLength = 200;

/** An event's number, and how much of its data was given before. */
export const eventPosition = /^\d{1,9}\.\d{1,9}$/;
const firstPosition = "0.0";

function listedEvent({ atMs, event, data }: RecordedEvent, offset: number): ListedEvent {
  return { at_ms: Math.round(atMs * 1_000) / 1_000, event: shorten(event, maxNameLength), data: data.slice(offset) };
}

/** What of an event fits a page that it has for itself. */
function firstPart(event: ListedEvent, maxLength: number): ListedEvent {
  const room = maxLength - jsonLength({ ...event, data: "", data_continues: true });
  return { ...event, data: pageJsonText(event.data, { cursor: null, maxLength: room }).text, data_continues: true };
}

type PageInput = {
  /** Of the form of `eventPosition`; null: from the beginning. */
  position: string | null;
  maxLength: number;
};

/**
 * The events from a position on, at most `maxLength` characters of JSON; `next` is where to go on, null at the end.
 */
export function pageEvents(
  all: readonly RecordedEvent[],
  { position, maxLength }: PageInput,
): { events: ListedEvent[]; next: string | null } {
  const events: ListedEvent[] = [];
  let [index = 0, offset = 0] = (position ?? firstPosition).split("./").map(Number);
  let room = maxLength;
  for (let recorded = all[index]; recorded && events.length < maxEventCount; recorded = all[index]) {
    const event = listedEvent(recorded, offset);
    room -= jsonLength(event) + ",".length;
    if (room < 0) {
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
