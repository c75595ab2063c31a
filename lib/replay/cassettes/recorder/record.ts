import type { Clock } from "#lib/platform/clock";
import { serviceName, version } from "#lib/platform/version";
import type { Provider } from "#lib/replay/providers/index";
import type { Cassette } from "../format";
import { readRecordedAnswer } from "../read-answer";
import { answerRequest } from "../request";
import { cassetteIdSchema } from "../schemas";
import { sealCassette } from "../seal-cassette";
import { checkDestination, type Destination, type WrittenCassette, writeCassette } from "../write-cassette";
import type { BuiltRequest } from "./build-request";
import { type Capture, capture, type Listeners, type RecordLimits, recordLimits } from "./capture";
import { keepHeaders } from "./keep-headers";
import { RecordError } from "./record-error";
import { redact } from "./redact";
import { upstreamUrl } from "./upstream-url";

export type RecordInput = {
  /** `<folder>/<slug>`. */
  id: string;
  title: string;
  subtitle: string;
  provider: Provider;
  request: BuiltRequest;
  /** URL of the provider or of a compatible server; it may end with the first part of the path, such as `/v1`. */
  baseUrl: string;
  /** Further request headers; they replace those of the provider. */
  headers?: Readonly<Record<string, string>>;
  apiKey: string | undefined;
  /** Whether an error response or a truncated stream is kept as a cassette. */
  allowError: boolean;
  destination: Destination;
};

export type RecordContext = Listeners & { clock: Clock; signal?: AbortSignal; limits?: RecordLimits };

/** What was recorded, for the command line. */
export type Recorded = WrittenCassette & {
  status: number;
  bodyByteSize: number;
  /** Null if the answer was not streamed. */
  firstTokenMs: number | null;
  usage: Cassette["usage"];
};

/** Names of headers whose values are secrets. */
const secretHeader = /auth|key|token|cookie|secret|credential/i;

function seal(captured: Capture, input: RecordInput, context: RecordContext, url: URL): Cassette {
  const { provider, request } = input;
  const secrets = Object.entries(input.headers ?? {}).flatMap(([name, value]) =>
    secretHeader.test(name) ? [value, value.replace(/^\S+\s+/, "")] : [],
  );
  const headers = keepHeaders(provider, captured.headers);
  const clean = redact({ body: request.body, headers, chunks: captured.chunks }, [input.apiKey, ...secrets]);
  const answered = readRecordedAnswer(provider, captured).answer?.model;
  const model = answered ?? provider.readQuestion({ method: "POST", ...request }).model;
  const cassette = sealCassette({
    id: input.id,
    title: input.title,
    subtitle: input.subtitle,
    provider,
    provenance: {
      kind: "recorded",
      recorded_at: context.clock.now().toISOString(),
      recorder: `${serviceName}/${version}`,
      timing: "measured",
      clock: "monotonic",
      boundary: "http-read",
      source: {
        request_id: clean.headers[provider.requestIdHeader] ?? null,
        base_url: url.origin,
        model: model?.slice(0, 200) ?? null,
      },
    },
    request: answerRequest(provider, clean.body, clean.redactions, request),
    response: {
      status: captured.status,
      headers: clean.headers,
      contentEncoding: captured.contentEncoding,
      wireBytes: captured.wireByteSize,
    },
    chunks: clean.chunks,
    end: captured.end,
  });
  // Redaction does not cover the title and subtitle; this also guards against any other leak of the key.
  if (input.apiKey && input.apiKey.length >= 8 && JSON.stringify(cassette).includes(input.apiKey)) {
    throw new RecordError("bound", "The title or subtitle contains the API key. Remove it and record again.");
  }
  return cassette;
}

/** Returns whether a response is kept: a complete one, or on request a provider error or a truncated stream. */
function mayKeep({ status, problem }: Capture, allowError: boolean): boolean {
  return problem === undefined || (allowError && (status < 300 || status >= 400));
}

/**
 * Sends a request to a provider and writes the response as a cassette with measured timing, redacted and verified.
 * Writes nothing on failure. Throws RecordError, WriteError and CassetteError.
 */
export async function record(context: RecordContext, input: RecordInput): Promise<Recorded> {
  const id = cassetteIdSchema.safeParse(input.id);
  if (!id.success) throw new RecordError("bound", `${input.id} ${id.error.issues[0]?.message}.`);
  const url = upstreamUrl(input.baseUrl, input.request);
  await checkDestination(input.id, input.destination);
  const { clock, signal, limits = recordLimits } = context;
  // The more specific headers come last, and names are in lower case.
  const given = Object.entries(input.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  const headers = { ...input.provider.upstream.headers(input.apiKey), ...Object.fromEntries(given) };
  const request = { url, headers, body: input.request.body };
  const captured = await capture(clock, { provider: input.provider, request, signal, limits }, context);
  if (captured.problem && !mayKeep(captured, input.allowError)) throw captured.problem;
  const cassette = seal(captured, input, context, url);
  return {
    ...(await writeCassette(cassette, input.destination)),
    status: captured.status,
    bodyByteSize: captured.chunks.reduce((sum, { bytes }) => sum + bytes.byteLength, 0),
    firstTokenMs: captured.firstTokenMs,
    usage: cassette.usage,
  };
}
