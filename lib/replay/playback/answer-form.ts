import { AppError } from "#lib/platform/errors";
import { type Recording, readRecordingEvents } from "#lib/replay/cassettes/index";
import { type AnswerForm, eventStreamType, framingOf, type Provider } from "#lib/replay/providers/index";
import { openRecording, type Replay, withSchedule } from "./open-replay";

const jsonType = "application/json";

/** Returns the form of a recording: a body of JSON is an array of events if it is an array. */
function recordedForm({ headers, chunks }: Recording): AnswerForm {
  const framing = framingOf(headers["content-type"]);
  if (framing !== "json") return framing;
  const first = chunks[0]?.find((byte) => byte > 0x20);
  return first === "[".charCodeAt(0) ? "json-array" : "whole";
}

/** Returns the complete answer, or the error of the stream with its status. Throws AppError if the stream was cut off. */
function foldRecording(recording: Recording): { status: number; body: Record<string, unknown> } {
  const { provider, end } = recording;
  const { body, error } = provider.fold(readRecordingEvents(recording));
  if (error) return { status: provider.statusOf(error), body: error };
  if (body && end !== "truncated") return { status: 200, body };
  const other = recordedForm(recording) === "whole" ? "without a stream" : "as a stream";
  const message = `The answer of this cassette was cut off, so it is not complete. Ask for it ${other}.`;
  throw new AppError("internal_error", message, { headers: { "X-Should-Retry": "false" } });
}

function withFrames(replay: Replay, contentType: string, texts: readonly string[], dueMs: Float64Array): Replay {
  const frames = texts.map((text) => Buffer.from(text));
  return withSchedule({ ...replay, headers: { ...replay.headers, "Content-Type": contentType } }, { frames, dueMs });
}

/** Returns the whole answer as one frame, due when the recorded stream ended. */
function toWhole(recording: Recording, replay: Replay): Replay {
  const { status, body } = foldRecording(recording);
  return { ...withFrames(replay, jsonType, [JSON.stringify(body)], recording.dueMs.slice(-1)), status };
}

/** Returns the events of a recorded stream in another framing, each at its recorded time. */
function toOtherFraming(recording: Recording, replay: Replay, form: AnswerForm): Replay {
  const events = readRecordingEvents(recording);
  const dueMs = Float64Array.from(events, ({ atMs }) => atMs);
  if (form === "json-array") {
    const texts = events.map(({ data }, index) => `${index === 0 ? "[" : ",\r\n"}${data}`);
    return withFrames(replay, jsonType, [...texts, texts.length === 0 ? "[]" : "]"], appendLast(dueMs));
  }
  const texts = events.map(({ data }) => (form === "sse" ? `data: ${data}\r\n\r\n` : `${data}\n`));
  return withFrames(replay, form === "sse" ? eventStreamType : "application/x-ndjson", texts, dueMs);
}

function appendLast(dueMs: Float64Array): Float64Array {
  return Float64Array.from([...dueMs, dueMs.at(-1) ?? 0]);
}

/** Returns an answer that was recorded as a whole as a stream, whose events are all due when the answer was. */
function toStream(recording: Recording, replay: Replay, provider: Provider, form: AnswerForm): Replay {
  const { status, body } = foldRecording(recording);
  if (status !== 200) return replay;
  const { contentType, events } = provider.unfold(body);
  const last = recording.dueMs.at(-1) ?? 0;
  if (form === "json-array") return withFrames(replay, jsonType, [`[${JSON.stringify(body)}]`], Float64Array.of(last));
  return withFrames(replay, contentType, events, new Float64Array(events.length).fill(last));
}

/**
 * Returns the replay of a recording in the form that a request wants. A recorded error keeps the form in which it was
 * recorded, and so does everything with the form null.
 */
export function openAnswer(recording: Recording, { form, speed }: { form: AnswerForm | null; speed: number }): Replay {
  const replay = openRecording(recording, speed);
  const recorded = recordedForm(recording);
  if (form === null || recording.status !== 200 || recorded === form) return replay;
  if (form === "whole") return toWhole(recording, replay);
  return recorded === "whole"
    ? toStream(recording, replay, recording.provider, form)
    : toOtherFraming(recording, replay, form);
}
