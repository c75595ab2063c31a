import { jsonLength, pageJsonText, shorten } from "#lib/contract/fit-json";
import { type Catalogue, describeProviderError, readRecordingEvents } from "#lib/replay/cassettes/index";
import type { RecordedEvent } from "#lib/replay/providers/index";
import { requireRecording } from "./open-replay";

type ReadContext = { catalogue: Catalogue };

/** Returns every event of a cassette with its time. Throws AppError not_found and service_unavailable. */
export async function readRecordedEvents(context: ReadContext, id: string): Promise<RecordedEvent[]> {
  return readRecordingEvents(await requireRecording(context, id));
}

/** Returns the body of a cassette as it was sent, read as UTF-8. Throws AppError not_found and service_unavailable. */
export async function readRawBody(context: ReadContext, id: string): Promise<string> {
  return Buffer.concat((await requireRecording(context, id)).chunks).toString("utf8");
}

/** A tool call in a result. `input` is JSON, of which only the beginning is shown if it is long. */
type ListedCall = { name: string; input: string };
/** An answer as a tool returns it; `omitted` says what of it is left out, beside the text. */
type ListedAnswer = {
  text: string;
  tool_calls: ListedCall[];
  stop_reason: string | null;
  error: { status: number; message: string } | null;
  omitted: string[];
};

/** Most tool calls in a result, and characters of JSON that the inputs of all may take. */
const [maxCallCount, maxInputsLength] = [20, 6_000];
const maxErrorLength = 1_000;

/** Returns the answer of a cassette: what it says, calls and ends with. Throws AppError not_found and service_unavailable. */
export async function readListedAnswer(context: ReadContext, id: string): Promise<ListedAnswer> {
  const { provider, status, ...recording } = await requireRecording(context, id);
  const { body, error } = provider.fold(readRecordingEvents({ provider, status, ...recording }));
  const answer = body && provider.readAnswer(body);
  const parts = answer?.parts ?? [];
  const lengthOf = (kind: string) =>
    parts.reduce((sum, part) => sum + (part.kind === kind && "text" in part ? part.text.length : 0), 0);
  const calls = parts.flatMap((part) => (part.kind === "tool" ? [{ name: part.name, input: part.input }] : []));
  const shown = calls
    .slice(0, maxCallCount)
    .map(({ name, input }) => ({
      name: shorten(name, maxNameLength),
      input: pageJsonText(input, {
        cursor: null,
        maxLength: Math.floor(maxInputsLength / Math.min(calls.length, maxCallCount)),
      }).text,
    }));
  const failed = error ?? (status >= 400 ? body : null);
  const message = failed && (describeProviderError(failed) || JSON.stringify(failed));
  const cut = shown.filter(({ input }, index) => input !== calls[index]?.input).length;
  const [thinking, results] = [lengthOf("thinking"), parts.filter(({ kind }) => kind === "result").length];
  return {
    text: parts.map((part) => (part.kind === "text" || part.kind === "refusal" ? part.text : "")).join(""),
    tool_calls: shown,
    stop_reason: answer?.stopReason ?? null,
    error:
      message === null
        ? null
        : {
            status: status >= 400 ? status : provider.statusOf(failed ?? {}),
            message: shorten(message, maxErrorLength),
          },
    omitted: [
      ...(thinking > 0 ? [`${thinking} characters of thinking`] : []),
      ...(results > 0 ? [`${results} results of tools that the provider ran`] : []),
      ...(cut > 0 ? [`the ends of the inputs of ${cut} tool calls`] : []),
      ...(calls.length > shown.length ? [`${calls.length - shown.length} tool calls`] : []),
    ],
  };
}

type ListedEvent = {
  /** Milliseconds from the request to the event. */
  at_ms: number;
  event: string;
  data: string;
  /** Set if the event is larger than a page: its data continues in the next page's first event. */
  data_continues?: true;
};

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
