import { serviceName, version } from "#lib/platform/version";
import {
  type Cassette,
  endsOf,
  hashForMatch,
  keepHeaders,
  objectOf,
  omitShared,
  type Redaction,
  readRecordedAnswer,
  redact,
  sealCassette,
  tapeSlug,
} from "#lib/replay/cassettes/index";
import { framingOf, http, type Provider, type TimedChunk } from "#lib/replay/providers/index";
import { isDay } from "./moved-times";
import { credentialsOfUrl, maskUrl, minRedactLength } from "./read-request";
import { sourceWithPlace } from "./run-place";
import type { Exchange, Tape } from "./tape";
import { matchKey, type TapeRequest, timesOf } from "./tape-request";

/** A response of an upstream, decoded, with the time of each read. */
export type ReceivedAnswer = { status: number; headers: Record<string, string>; chunks: TimedChunk[] };

/** Divides reads after each event, so that a file has one event a line. The bytes are the same. */
function divideAtEvents(chunks: readonly TimedChunk[], contentType: string | undefined): TimedChunk[] {
  const framing = framingOf(contentType);
  if (framing === "json") return [...chunks];
  const body = Buffer.concat(chunks.map(({ bytes }) => bytes));
  const ends = endsOf(body, framing);
  let start = 0;
  let next = 0;
  return chunks.flatMap(({ deltaMs, bytes }) => {
    const end = start + bytes.length;
    const cuts: number[] = [];
    for (let cut = ends[next]; cut !== undefined && cut < end; cut = ends[++next]) if (cut > start) cuts.push(cut);
    return [...cuts, end].map((to, index) => {
      const piece = { deltaMs: index === 0 ? deltaMs : 0, bytes: body.subarray(start, to) };
      start = to;
      return piece;
    });
  });
}

/** Most recordings that are looked at to find the turn before. */
const maxParentCandidates = 200;

type Parent = { exchange: Exchange; link: ReturnType<typeof omitShared> };

function historyOf(body: Record<string, unknown> | null, { historyField }: Provider): readonly unknown[] {
  const history = body?.[historyField.slice(1)];
  return Array.isArray(history) ? history : [];
}

/**
 * Returns the recording with the longest history that a request repeats, the last of several, and what it adds; undefined if
 * there is none. Only answers of this run count: what it did not use, and errors, can be pruned.
 */
function findParent(tape: Tape, provider: Provider, body: Record<string, unknown>): Parent | undefined {
  const { length } = historyOf(body, provider);
  const candidates = tape.exchanges
    .filter(({ isPlayed, isError }) => isPlayed && !isError)
    .slice(-maxParentCandidates)
    .reverse()
    .flatMap((exchange) => {
      const recorded = exchange.provider === provider ? objectOf(exchange.request.body) : null;
      const count = historyOf(recorded, provider).length;
      return recorded && count > 0 && count <= length ? [{ exchange, recorded, count }] : [];
    })
    .sort((a, b) => b.count - a.count);
  // Each comparison walks through the history: in a conversation, the first one is that with the turn before.
  for (const { exchange, recorded, count } of candidates) {
    const link = omitShared(body, { id: exchange.id, body: recorded }, provider.historyField);
    if (link.parent.omitted === count) return { exchange, link };
  }
  return undefined;
}

function titleOf(provider: Provider, request: TapeRequest): string {
  const { prompt } = provider.readQuestion({ ...request, body: objectOf(request.body) });
  const line = prompt.replace(/\s+/g, " ").trim();
  return line === "" ? `${request.method} ${request.path}`.slice(0, 200) : line.slice(0, 100);
}

/** Returns the length of the body as the server gave it, where it is that of what is stored, or of what a HEAD asked about. */
function keepLength({ provider, request, answer }: NewExchange): Record<string, string> {
  const { "content-length": length = "" } = answer.headers;
  const byteSize = answer.chunks.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const isKnown = request.method === "HEAD" ? length !== "" : provider === http && length === String(byteSize);
  return isKnown ? { "content-length": length } : {};
}

/** Returns when a request was sent, to the second, if it names a time. */
function sentAtOf(provider: Provider, request: TapeRequest): string | undefined {
  const { times, sentAt } = timesOf(provider, request, { volatile: [], volatileText: [], withResults: true });
  return times.length > 0 && sentAt !== undefined && !isDay(sentAt) ? sentAt : undefined;
}

/** Where an answer comes from: recorded from a provider, or imported from a file of another tool. */
export type Origin = Pick<Cassette["provenance"], "kind" | "timing" | "clock" | "boundary" | "source">;

export type NewExchange = {
  file: string;
  provider: Provider;
  request: TapeRequest;
  redactions: Redaction[];
  answer: ReceivedAnswer;
  secrets: readonly string[];
  allowed?: readonly string[];
  origin: Origin;
  recordedAt: Date;
  /** What a recording keeps that is sealed again. */
  known?: Pick<Cassette, "end"> & Partial<Pick<Cassette, "id">>;
};

/** `suspicions` are places of the answer that look like secrets and were not masked. */
export type SealedExchange = { exchange: Exchange; cassette: Cassette; suspicions: Redaction[] };

/** Returns the exchange and its cassette: masked, with sorted members and one event a line. */
export function sealExchange(tape: Tape, input: NewExchange): SealedExchange {
  const { file, provider, request, answer } = input;
  const { allowed = [], known } = input;
  const id = known?.id ?? `${tapeSlug(tape.test)}/${file.split(".")[0]}`;
  // The page that a redirect may have names its URL too.
  const { location } = answer.headers;
  const secrets = [...input.secrets, ...credentialsOfUrl(location ?? "")];
  const given = { ...answer.headers };
  if (location !== undefined) given.location = maskUrl(location, { secrets, allowed });
  const headers = { ...keepHeaders(provider, given), ...keepLength(input) };
  const chunks = divideAtEvents(answer.chunks, headers["content-type"]);
  const clean = redact({ body: {}, headers, chunks }, secrets, { minLength: minRedactLength, allowed });
  const key = matchKey(provider, request, tape.volatile);
  const body = objectOf(request.body);
  const parent = body ? findParent(tape, provider, body) : undefined;
  const answers = provider.readQuestion({ ...request, body }).assistantTurns;
  const sequence = tape.exchanges.filter((other) => other.key === key).length + 1;
  const { error } = readRecordedAnswer(provider, { headers, chunks });
  const cassette = sealCassette({
    id,
    title: titleOf(provider, request),
    subtitle: tape.test.slice(0, 300),
    provider,
    provenance: {
      ...input.origin,
      source: sourceWithPlace(
        input.origin.source,
        { ...request, sentAt: sentAtOf(provider, request) },
        input.recordedAt,
      ),
      // To the day: a new recording of the same answer differs in as few lines as possible.
      recorded_at: `${input.recordedAt.toISOString().slice(0, 10)}T00:00:00Z`,
      recorder: `${serviceName}/${version}`,
    },
    request: {
      method: request.method as Cassette["request"]["method"],
      ...(request.host === undefined ? {} : { host: request.host }),
      path: request.path,
      query: request.query,
      ...(request.headers === undefined ? {} : { headers: request.headers }),
      ...(parent && answers > 0
        ? {
            body: { json: parent.link.body },
            parent: { ...parent.link.parent, answers, match_sha256: hashForMatch(provider, request) },
          }
        : { body: request.body }),
      ...(sequence > 1 ? { sequence } : {}),
      redactions: [...input.redactions, ...clean.redactions].slice(0, 10_000),
    },
    response: { status: answer.status, headers: clean.headers },
    chunks: clean.chunks.map(({ deltaMs, bytes }) => ({ deltaMs: Math.round(deltaMs), bytes })),
    end: known?.end ?? (answer.status >= 400 || error ? "error" : "complete"),
  });
  const parentFile = cassette.request.parent && parent ? parent.exchange.file : null;
  return {
    exchange: { file, id, provider, request, key, parentFile, isPlayed: true, isError: cassette.end === "error" },
    cassette,
    suspicions: clean.suspicions,
  };
}
