import { type RecordedAnswer, readRecordedAnswer } from "#lib/replay/cassettes/index";
import type { TimedChunk } from "#lib/replay/providers/index";
import type { RepeatedCall } from "../answers/repeat-requests";
import { parentOf, Shape } from "./shape";

/** From what breaks clients to what they will not notice. */
export const severities = ["breaking", "warning", "info"] as const;
export type Severity = (typeof severities)[number];

/** A difference between recorded and new answers. */
export type Drift = {
  severity: Severity;
  protocol: string;
  /** Models whose answers show it, those of streams with `(stream)`. */
  models: string[];
  what: "status" | "form" | "field" | "type" | "event" | "stop reason" | "header";
  /** As `Shape` writes it; for others than fields and types, the value. */
  place: string;
  change: string;
  /** Recordings that show it. */
  recordings: { test: string; file: string }[];
};

type Found = Pick<Drift, "severity" | "what" | "place" | "change"> & { answers: Iterable<number> };
type Answered = RepeatedCall & { repeated: { kind: "answered"; chunks: TimedChunk[] } };

const list = (types: Iterable<string>) => [...types].sort().join(" or ");

/** Returns the kinds of events, or of whole bodies, that came or went. */
function* compareKinds(before: Shape, after: Shape): Generator<Found> {
  for (const [place, { answers }] of before.places)
    if (parentOf(place) === "" && !after.places.has(place))
      yield { severity: before.isInAll(place) ? "warning" : "info", what: "event", place, change: "is gone", answers };
  for (const [place, { answers }] of after.places)
    if (parentOf(place) === "" && !before.places.has(place))
      yield { severity: "info", what: "event", place, change: "is new", answers };
}

/** Returns the fields that came or went in objects which both have. */
function* compareFields(before: Shape, after: Shape): Generator<Found> {
  const isIn = (shape: Shape, place: string, types: readonly string[] = ["object"]) =>
    types.some((type) => shape.places.get(parentOf(place))?.types.has(type));
  // An object of another type is another object, and not a field that is gone.
  const isVariant = (place: string) => place.endsWith(">") || place.endsWith("*");
  const isLost = (place: string) => isIn(after, place) && !isVariant(place) && before.isAlways(place);
  for (const [place, { types, answers }] of before.places) {
    const now = after.places.get(place);
    if (parentOf(place) === "") continue;
    if (!now) {
      if (isLost(place)) yield { severity: "breaking", what: "field", place, change: "is gone", answers };
      continue;
    }
    const added = [...now.types].filter((type) => !types.has(type));
    if (added.length === 0) continue;
    // What was null has a value now, or the other way round.
    const isNullable = added.every((type) => type === "null") || (types.size === 1 && types.has("null"));
    const change = `was ${list(types)} and is ${list(now.types)}`;
    yield { severity: isNullable ? "warning" : "breaking", what: "type", place, change, answers: now.answers };
  }
  for (const [place, { answers }] of after.places) {
    if (parentOf(place) === "" || before.places.has(place) || !isIn(before, place, ["object", "array"])) continue;
    // A new object with a type has two places.
    const shared = place.replace(/<[^<>]*>$/, "");
    if (shared !== place && !before.places.has(shared)) continue;
    yield { severity: "info", what: "field", place, change: "is new", answers };
  }
}

function* compareStops(
  { answer: before }: RecordedAnswer,
  { answer: after }: RecordedAnswer,
): Generator<Omit<Found, "answers">> {
  const [was, place] = [before?.stopReason, after?.stopReason];
  if (place && was !== place) yield { severity: "warning", what: "stop reason", place, change: `was ${was ?? "none"}` };
}

/**
 * Whether two answers have the same kinds of parts, so that their fields can be compared: a model may answer one request with
 * a text or with a call. One without any part is compared with all: its fields may have other names now.
 */
function isOfOneKind({ answer: before }: RecordedAnswer, { answer: after }: RecordedAnswer): boolean {
  const kindsOf = (answer: RecordedAnswer["answer"]) =>
    [...new Set(answer?.parts.map((part) => `${part.kind}${part.kind === "tool" && part.isServer}`))].sort().join();
  const now = kindsOf(after);
  return now === "" || (now === kindsOf(before) && before?.stopReason === after?.stopReason);
}

/** Returns what the status, the form and the headers of one answer say. */
function* compareHeads({ recorded: { cassette }, repeated }: Answered): Generator<Omit<Found, "answers">> {
  const { status, headers } = cassette.response;
  const isWorse = status < 300 && repeated.status >= 300;
  const severity = isWorse ? "breaking" : repeated.status < 300 ? "info" : "warning";
  if (status !== repeated.status)
    yield {
      severity,
      what: "status",
      place: String(repeated.status),
      change: `was ${status}: ${repeated.error ?? "it succeeds"}`,
    };
  const typeOf = (value = "") => value.split(";")[0]?.trim() ?? "";
  const [before, after] = [headers, repeated.headers].map((each) => typeOf(each["content-type"]));
  if (!isWorse && before !== after && status === repeated.status)
    yield { severity: "breaking", what: "form", place: String(after), change: `was ${before}` };
  for (const name of ["deprecation", "sunset"])
    if (repeated.headers[name] !== undefined && repeated.headers[name] !== headers[name])
      yield { severity: "warning", what: "header", place: name, change: `says ${repeated.headers[name]}` };
}

const isAnswered = (call: RepeatedCall): call is Answered => call.repeated.kind === "answered";

/** Returns how the answers to requests of one group differ from those that were recorded. */
function* compareGroup(calls: readonly RepeatedCall[]): Generator<Found> {
  for (const [index, { repeated, recorded }] of calls.entries()) {
    if (repeated.kind !== "unreadable") continue;
    const change = `was an answer of ${recorded.cassette.provider}: ${repeated.reason}`;
    yield { severity: "breaking", what: "form", place: "the whole answer", change, answers: [index] };
  }
  const [before, after] = [new Shape(), new Shape()];
  const positions: number[] = [];
  for (const [index, call] of calls.entries()) {
    if (!isAnswered(call)) continue;
    for (const found of compareHeads(call)) yield { ...found, answers: [index] };
    const { recorded, repeated, exchange } = call;
    const { status, headers } = recorded.cassette.response;
    if (status >= 300 || repeated.status >= 300) continue;
    const answers = [{ headers, chunks: recorded.chunks }, repeated].map((each) =>
      readRecordedAnswer(exchange.provider, each),
    );
    const [old, now] = answers as [RecordedAnswer, RecordedAnswer];
    for (const found of compareStops(old, now)) yield { ...found, answers: [index] };
    if (!isOfOneKind(old, now)) continue;
    positions.push(index);
    before.add(old);
    after.add(now);
  }
  const found = [...compareKinds(before, after), ...compareFields(before, after)];
  for (const each of found) yield { ...each, answers: [...each.answers].map((answer) => positions[answer] ?? 0) };
}

/** Returns how new answers differ in their shape from those that were recorded: what is worst first. */
export function findDrift(calls: readonly RepeatedCall[]): Drift[] {
  const groups = new Map<string, RepeatedCall[]>();
  for (const call of calls) groups.set(call.group, [...(groups.get(call.group) ?? []), call]);
  const merged = new Map<string, Drift>();
  for (const [group, members] of groups) {
    const [protocol = "", model = ""] = group.split(/ (.*)/s);
    for (const { answers, ...found } of compareGroup(members)) {
      const key = JSON.stringify([protocol, found]);
      const drift = merged.get(key) ?? { ...found, protocol, models: [], recordings: [] };
      merged.set(key, drift);
      if (!drift.models.includes(model)) drift.models.push(model);
      for (const answer of answers) {
        const { test, file } = members[answer] as RepeatedCall;
        drift.recordings.push({ test, file });
      }
    }
  }
  return [...merged.values()].sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
}
