import { serviceName, version } from "#lib/platform/version";
import {
  type Cassette,
  encodeBody,
  findEventEnds,
  hashForMatch,
  hashJson,
  keepHeaders,
  objectOf,
  omitShared,
  type Redaction,
  type RequestBody,
  readRecordedAnswer,
  redact,
  sealCassette,
  splitLines,
} from "#lib/replay/cassettes/index";
import { framingOf, type Provider, type TimedChunk } from "#lib/replay/providers/index";
import type { Exchange, Tape } from "./tape";
import { matchKey, type TapeRequest } from "./tape-request";

/** A response of an upstream, decoded, with the time of each read. */
export type ReceivedAnswer = { status: number; headers: Record<string, string>; chunks: TimedChunk[] };

/** Returns a JSON value with sorted members, so that files differ only where requests differ. */
function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sortMembers(member)]));
}

/** Masks secrets in a request, as the recorder does, so that it is compared as it is stored. */
export function redactRequest(
  body: Uint8Array,
  secrets: readonly string[],
): { body: RequestBody; redactions: Redaction[] } {
  const encoded = encodeBody(body);
  if (encoded === null || "b" in encoded) return { body: encoded, redactions: [] };
  const given = "json" in encoded ? encoded.json : encoded.s;
  const clean = redact({ body: { body: given }, headers: {}, chunks: [] }, secrets);
  const redactions = clean.redactions.map(({ place, ...rest }) => ({ place: place.replace(/^\/body/, ""), ...rest }));
  const value = clean.body.body as typeof given;
  return {
    body: "json" in encoded ? { json: sortMembers(value) as typeof given } : { s: value as string },
    redactions,
  };
}

/** Divides reads after each event, so that a file has one event a line. The bytes are the same. */
function divideAtEvents(chunks: readonly TimedChunk[], contentType: string | undefined): TimedChunk[] {
  const framing = framingOf(contentType);
  if (framing === "json") return [...chunks];
  const body = Buffer.concat(chunks.map(({ bytes }) => bytes));
  const ends = framing === "sse" ? findEventEnds(body) : [...splitLines(body)].map(({ next }) => next);
  const divided: TimedChunk[] = [];
  let start = 0;
  let nextEnd = 0;
  for (const { deltaMs, bytes } of chunks) {
    const end = start + bytes.length;
    let from = start;
    while (nextEnd < ends.length && (ends[nextEnd] as number) <= end) {
      const to = ends[nextEnd] as number;
      if (to > from) divided.push({ deltaMs: from === start ? deltaMs : 0, bytes: body.subarray(from, to) });
      from = Math.max(from, to);
      nextEnd += 1;
    }
    if (end > from) divided.push({ deltaMs: from === start ? deltaMs : 0, bytes: body.subarray(from, end) });
    start = end;
  }
  return divided;
}

/** Most recordings that are looked at to find the turn before. */
const maxParentCandidates = 200;

type Parent = { exchange: Exchange; omitted: number };

/** Returns the recording whose history a request repeats most of; undefined if there is none. */
function findParent(tape: Tape, provider: Provider, body: Record<string, unknown>): Parent | undefined {
  let best: Parent | undefined;
  for (const exchange of tape.exchanges.slice(-maxParentCandidates)) {
    const recorded = objectOf(exchange.request.body);
    if (exchange.provider !== provider || !recorded) continue;
    const { omitted } = omitShared(body, { id: exchange.id, body: recorded }, provider.historyField).parent;
    const history = recorded[provider.historyField.slice(1)];
    if (!Array.isArray(history) || omitted < history.length || omitted <= (best?.omitted ?? 0)) continue;
    best = { exchange, omitted };
  }
  return best;
}

function titleOf(provider: Provider, request: TapeRequest): string {
  const { prompt } = provider.readQuestion({ ...request, body: objectOf(request.body) });
  const line = prompt.replace(/\s+/g, " ").trim();
  return line === "" ? `${request.method} ${request.path}`.slice(0, 200) : line.slice(0, 100);
}

/** Whether an answer ended as its protocol requires. What is no answer of a model has ended with its last byte. */
export function isComplete(
  provider: Provider,
  request: TapeRequest,
  { status, headers, chunks }: ReceivedAnswer,
): boolean {
  if (status >= 400 || provider.operationOf(request) !== "generate") return true;
  const { isEnded, error } = readRecordedAnswer(provider, { headers, chunks });
  return isEnded || error !== null;
}

/** Returns how many events of a stream a client cannot read, because they are not JSON. */
export function countUnreadableEvents(provider: Provider, { status, headers, chunks }: ReceivedAnswer): number {
  if (status >= 400 || framingOf(headers["content-type"]) === "json") return 0;
  const { events } = readRecordedAnswer(provider, { headers, chunks });
  const { endMarker } = provider.stream;
  return events.filter(({ data, json }) => json === null && data !== endMarker).length;
}

type NewExchange = {
  file: string;
  id: string;
  provider: Provider;
  request: TapeRequest;
  redactions: Redaction[];
  answer: ReceivedAnswer;
  secrets: readonly string[];
  baseUrl: string;
  recordedAt: Date;
};

/** Returns the exchange and its cassette: masked, with sorted members and one event a line. */
export function sealExchange(tape: Tape, input: NewExchange): { exchange: Exchange; cassette: Cassette } {
  const { file, id, provider, request, answer } = input;
  const headers = keepHeaders(provider, answer.headers);
  const chunks = divideAtEvents(answer.chunks, headers["content-type"]);
  const clean = redact({ body: {}, headers, chunks }, input.secrets);
  const key = matchKey(provider, request, tape.volatile);
  const body = objectOf(request.body);
  const parent = body ? findParent(tape, provider, body) : undefined;
  const link =
    body &&
    parent &&
    omitShared(
      body,
      { id: parent.exchange.id, body: objectOf(parent.exchange.request.body) ?? {} },
      provider.historyField,
    );
  const answers = provider.readQuestion({ ...request, body }).assistantTurns;
  const sequence = tape.exchanges.filter((known) => known.key === key).length + 1;
  const { error } = readRecordedAnswer(provider, { headers, chunks });
  const cassette = sealCassette({
    id,
    title: titleOf(provider, request),
    subtitle: tape.test.slice(0, 300),
    provider,
    provenance: {
      kind: "recorded",
      // To the day: a new recording of the same answer differs in as few lines as possible.
      recorded_at: `${input.recordedAt.toISOString().slice(0, 10)}T00:00:00Z`,
      recorder: `${serviceName}/${version}`,
      timing: "measured",
      clock: "monotonic",
      boundary: "http-read",
      source: { base_url: input.baseUrl },
    },
    request: {
      method: request.method as Cassette["request"]["method"],
      path: request.path,
      query: request.query,
      ...(link && answers > 0
        ? {
            body: { json: link.body },
            parent: { ...link.parent, answers, match_sha256: hashForMatch(provider, request) },
          }
        : { body: request.body }),
      ...(sequence > 1 ? { sequence } : {}),
      redactions: [...input.redactions, ...clean.redactions].slice(0, 10_000),
    },
    response: { status: answer.status, headers: clean.headers },
    chunks: clean.chunks.map(({ deltaMs, bytes }) => ({ deltaMs: Math.round(deltaMs), bytes })),
    end: answer.status >= 400 || error ? "error" : "complete",
  });
  const parentFile = cassette.request.parent && parent ? parent.exchange.file : null;
  return { exchange: { file, id, provider, request, key, parentFile, isPlayed: true }, cassette };
}

/** Returns the id of a cassette on a tape. */
export function cassetteIdOf(tape: Tape, file: string): string {
  const folder = tape.test
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60)
    .replace(/-+$/, "");
  return `${folder || `tape-${hashJson(tape.test).slice(0, 8)}`}/${file.split(".")[0]}`;
}
