import {
  type Cassette,
  contentTypes,
  objectOf,
  type Redaction,
  readRecordedAnswer,
  upstreamUrl,
  WriteError,
} from "#lib/replay/cassettes/index";
import { type Framing, framingOf, http, type Provider, type TimedChunk } from "#lib/replay/providers/index";
import { type NewExchange, type ReceivedAnswer, sealExchange } from "./seal-exchange";
import type { Tape } from "./tape";
import type { TapeRequest } from "./tape-request";

/** Bytes at the start of a body that show what it is. */
const headByteSize = 64;

function headOf(chunks: readonly TimedChunk[]): string {
  const first: Uint8Array[] = [];
  for (let index = 0, byteSize = 0; index < chunks.length && byteSize < headByteSize; index += 1) {
    const { bytes } = chunks[index] as TimedChunk;
    first.push(bytes.subarray(0, headByteSize));
    byteSize += bytes.length;
  }
  return Buffer.concat(first)
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .trimStart();
}

function guessFraming(provider: Provider, request: TapeRequest, { status, chunks }: ReceivedAnswer): Framing | null {
  const head = headOf(chunks);
  if (/^(?:event|data|id|retry)?:/.test(head)) return "sse";
  if (!/^[{[]/.test(head)) return null;
  const form = provider.formOf({ ...request, body: objectOf(request.body) });
  const isStream = form === "ndjson" && status < 400 && provider.operationOf(request) === "generate";
  return isStream ? "ndjson" : "json";
}

/**
 * Returns an answer with a content type. Where the server, or the tool that recorded it, has none, the request and the first
 * bytes say what it is: events, lines of JSON, or JSON. Other bodies stay without one.
 */
export function withContentType(provider: Provider, request: TapeRequest, answer: ReceivedAnswer): ReceivedAnswer {
  if (answer.headers["content-type"]) return answer;
  const framing = guessFraming(provider, request, answer);
  if (framing === null) return answer;
  return { ...answer, headers: { ...answer.headers, "content-type": contentTypes[framing] } };
}

/** Whether an answer ended as its protocol requires. What is no answer of a model has ended with its last byte. */
function isComplete({ provider, request, answer, origin }: ToStore): boolean {
  const { status, headers, chunks } = answer;
  if (status >= 400 || provider.operationOf(request) !== "generate") return true;
  const { isEnded, error, events } = readRecordedAnswer(provider, { headers, chunks });
  // A whole JSON document has ended, whatever members a compatible server leaves out. A text or page that another tool kept
  // is what a suite expects; while recording it is that of a login portal.
  const contentType = headers["content-type"] ?? "";
  const isText = origin.kind === "imported" && /^text\/(?:html|plain)/i.test(contentType);
  const isWhole = framingOf(contentType) === "json" && (events.length > 0 || isText);
  return isEnded || error !== null || isWhole;
}

/** Returns how many events of a stream a client cannot read, because they are not JSON. */
function countUnreadableEvents(provider: Provider, { status, headers, chunks }: ReceivedAnswer): number {
  if (status >= 400 || framingOf(headers["content-type"]) === "json") return 0;
  const { events } = readRecordedAnswer(provider, { headers, chunks });
  const { endMarker } = provider.stream;
  return events.filter(({ data, json }) => json === null && data !== endMarker).length;
}

export function explainFailure(error: unknown): string {
  if (!(error instanceof WriteError)) return error instanceof Error ? error.message : String(error);
  return `${error.path}: ${error.reason}`;
}

export type RecordedFile = { file: string; status: number; request: string };

/**
 * Returns notes on recordings that may be wrong, because they are errors or were made by a test that then failed: one for those
 * with the same status, or without an error.
 */
export function describeDoubtful(recorded: readonly RecordedFile[], folder: string, failed?: string): string[] {
  const kinds = new Map<number, [RecordedFile, ...RecordedFile[]]>();
  for (const each of recorded) {
    const kind = each.status >= 400 ? each.status : 0;
    const known = kinds.get(kind);
    if (known) known.push(each);
    else kinds.set(kind, [each]);
  }
  return [...kinds].map(([status, [{ file, request }, ...others]]) => {
    const what = [...(status > 0 ? [`with status ${status}`] : []), ...(failed ? [`before the ${failed} failed`] : [])];
    const more = others.length > 0 ? ` The same for ${others.length} more, up to ${others.at(-1)?.file}.` : "";
    return `${file} was recorded ${what.join(", ")}: ${request}.${more} To record it again, delete ${folder}.`;
  });
}

type ToStore = Omit<NewExchange, "file"> & {
  /** Default: the next free one. */
  file?: string;
  /** Why the answer cannot be stored; undefined if all of it arrived. */
  problem: string | undefined;
  /** What to do if the provider refused the key. */
  hint?: string;
  /** Places of the request that look like secrets and were not masked. Without them, the answer's do not count either. */
  suspicions?: readonly Redaction[];
};

type StoredFile = { cassette: Cassette; file: string };

/**
 * What came of storing an exchange: its cassette and file, or null if it was not stored, whether that is because it may have a
 * secret, what of the answer prevented it, and what the developer has to know.
 */
export type StoredExchange = { stored: StoredFile | null; isWithheld: boolean; failure?: string; notes: string[] };

/** Why an answer cannot be stored: as a sentence about its request, and as one about its server. */
type Obstacle = { note: string; failure: string };

/**
 * Whether a client that follows a redirect can be led so by a replay: not if a base URL led it to the proxy, which it leaves
 * then, nor if only the scheme differs, which recordings do not have.
 */
function isFollowed({ provider, request: { host, path }, answer, origin }: ToStore): boolean {
  if (host === undefined || provider !== http) return false;
  const asked = upstreamUrl(String(origin.source.base_url), { path, query: "" });
  const { location } = answer.headers;
  if (!location || !URL.canParse(location, asked)) return true;
  const next = new URL(location, asked);
  return next.protocol === asked.protocol || next.host !== asked.host || next.pathname !== asked.pathname;
}

function findObstacle(input: ToStore): Obstacle | undefined {
  const { request, answer, problem, hint, origin } = input;
  const { status } = answer;
  const place = `${request.method} ${request.path}`;
  // A recording that a suite has kept is what its tests expect.
  const isNew = origin.kind === "recorded";
  if (isNew && (status === 401 || status === 403)) {
    const advice = hint === undefined ? "." : `: ${hint}.`;
    return {
      note: `${place} was refused with ${status} and not stored${advice}`,
      failure: `the provider refused it with ${status}${advice}`,
    };
  }
  if (isNew && status >= 300 && status < 400 && status !== 304 && !isFollowed(input)) {
    const advice = "configure the final URL.";
    return {
      note: `${place} was redirected with ${status} and not stored: ${advice}`,
      failure: `the server redirected it with ${status}: ${advice}`,
    };
  }
  if (problem === undefined && isComplete(input)) return undefined;
  const why = `${(problem ?? "it ended before the answer was complete").replace(/\.$/, "")}.`;
  return { note: `The answer to ${place} was not stored: ${why}`, failure: why };
}

function describeSuspicion({ method, path }: TapeRequest, { place, byte_length }: Redaction): string {
  const offset = /^response:(\d+)$/.exec(place)?.[1];
  const where = offset === undefined ? `its request has at ${place || "/"}` : `it has at byte ${offset}`;
  return `The answer to ${method} ${path} was not stored: ${where} what looks like a secret, ${byte_length} characters long. To have it replaced, put it into an environment variable whose name ends in _KEY, or add it to "redact" in tapedeck.config.json. If it is no secret, add it to "allow" there.`;
}

/** Most removed secrets of a report that are named. */
const maxNamedCount = 5;

/**
 * Returns lines that name where secrets were removed, with those of another exchange. Several at one place, and those that
 * later turns of a conversation repeat, are named once.
 */
export function nameRedactions(known: readonly string[], test: string, { cassette, file }: StoredFile): string[] {
  const named = [...known];
  for (const { place, rule } of cassette.request.redactions) {
    if (named.length >= maxNamedCount) break;
    const where = place.replace(/^response:(?=\d+$)/, "the answer at byte ");
    const secret = `: ${where || "/"}: ${rule}`;
    const isKnown = named.some((line) => line.startsWith(`${test}, `) && line.endsWith(secret));
    if (!isKnown) named.push(`${test}, ${file}${secret}`);
  }
  return named;
}

/** Returns how many secrets were removed, and where the first ones were, as lines. */
export function describeRedactions(reports: readonly { redactions: number; redacted: readonly string[] }[]): string[] {
  const total = reports.reduce((sum, { redactions }) => sum + redactions, 0);
  const named = reports.flatMap(({ redacted }) => redacted).slice(0, maxNamedCount);
  const more = named.length > 0 ? total - named.length : 0;
  return [
    ...(total > 0 ? [`  secrets removed before anything was stored: ${total}`] : []),
    ...named.map((line) => `    ${line}`),
    ...(more > 0 ? [`    and ${more} more`] : []),
  ];
}

/**
 * Adds an exchange to a tape if its answer has ended as its protocol requires. With `isDryRun`, nothing is written.
 * Throws WriteError.
 */
export async function storeExchange(
  tape: Tape,
  input: ToStore,
  { isDryRun = false }: { isDryRun?: boolean } = {},
): Promise<StoredExchange> {
  const { provider, request } = input;
  const answer = withContentType(provider, request, input.answer);
  const obstacle = findObstacle({ ...input, answer });
  if (obstacle) return { stored: null, isWithheld: false, failure: obstacle.failure, notes: [obstacle.note] };
  const seal = (file: string) => sealExchange(tape, { ...input, answer, file });
  const sealed = seal(input.file ?? tape.reserveFile());
  const [suspicion] = input.suspicions ? [...input.suspicions, ...sealed.suspicions] : [];
  if (suspicion) return { stored: null, isWithheld: true, notes: [describeSuspicion(request, suspicion)] };
  const { exchange, cassette } = isDryRun ? sealed : await tape.add(sealed, seal);
  const count = countUnreadableEvents(provider, answer);
  const place = `${request.method} ${request.path}`;
  const note = `Events of the answer to ${place} that are no JSON objects, stored as sent: ${count}.`;
  return { stored: { cassette, file: exchange.file }, isWithheld: false, notes: count > 0 ? [note] : [] };
}
