import type { Clock } from "#lib/platform/clock";
import { serviceName, version } from "#lib/platform/version";
import { anthropic } from "#lib/replay/providers/index";
import type { Cassette } from "../format";
import { readRecordedAnswer } from "../read-answer";
import { answerRequest } from "../request";
import { cassetteIdSchema } from "../schemas";
import { sealCassette } from "../seal-cassette";
import { checkDestination, type Destination, writeCassette } from "../write-cassette";
import { type Capture, capture, type Listeners } from "./capture";
import { type RecordLimits, recordLimits } from "./limits";
import { RecordError } from "./record-error";
import { keptHeaders, redact } from "./redact";

export type RecordInput = {
  /** `<folder>/<slug>`. */
  id: string;
  title: string;
  subtitle: string;
  /** Body of the Messages request; `stream` is always set to true. */
  body: Record<string, unknown>;
  /** URL of an Anthropic-compatible provider, without `/v1/messages`. */
  baseUrl: string;
  apiKey: string | undefined;
  /** Whether an error response or a truncated stream is kept as a cassette. */
  allowError: boolean;
  destination: Destination;
};

export type RecordContext = Listeners & { clock: Clock; signal?: AbortSignal; limits?: RecordLimits };

/** What was recorded, for the command line. */
export type Recorded = {
  id: string;
  path: string;
  byteSize: number;
  status: number;
  end: Cassette["end"];
  chunkCount: number;
  bodyByteSize: number;
  durationMs: number;
  firstTokenMs: number | null;
  redactionCount: number;
  usage: Cassette["usage"];
};

function messagesUrl(baseUrl: string): URL {
  try {
    const url = new URL(`${baseUrl.replace(/\/+$/, "")}/v1/messages`);
    if (url.protocol === "http:" || url.protocol === "https:") return url;
  } catch {
    // Handled below, like every unsupported URL.
  }
  throw new RecordError("connection", `${baseUrl} is not an http(s) URL. Check --base-url.`);
}

function modelOf(captured: Capture, body: Record<string, unknown>): string | null {
  const model = readRecordedAnswer(anthropic, captured).answer?.model ?? body.model;
  return typeof model === "string" ? model.slice(0, 200) : null;
}

function seal(captured: Capture, input: RecordInput, context: RecordContext, url: URL): Cassette {
  const body = { ...input.body, stream: true };
  const headers = keptHeaders(captured.headers);
  const clean = redact({ body, headers, chunks: captured.chunks }, [input.apiKey]);
  const cassette = sealCassette({
    id: input.id,
    title: input.title,
    subtitle: input.subtitle,
    provider: anthropic,
    provenance: {
      kind: "recorded",
      recorded_at: context.clock.now().toISOString(),
      recorder: `${serviceName}/${version}`,
      timing: "measured",
      clock: "monotonic",
      boundary: "http-read",
      source: {
        request_id: clean.headers["request-id"] ?? null,
        base_url: url.origin,
        model: modelOf(captured, body),
      },
    },
    request: answerRequest(anthropic, clean.body, clean.redactions),
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
  const url = messagesUrl(input.baseUrl);
  await checkDestination(input.id, input.destination);
  const { clock, signal, limits = recordLimits } = context;
  const body = { ...input.body, stream: true };
  const captured = await capture(clock, { url, body, apiKey: input.apiKey, signal, limits }, context);
  if (captured.problem && !mayKeep(captured, input.allowError)) throw captured.problem;
  const cassette = seal(captured, input, context, url);
  const written = await writeCassette(cassette, input.destination);
  return {
    id: input.id,
    ...written,
    status: captured.status,
    end: captured.end,
    chunkCount: captured.chunks.length,
    bodyByteSize: captured.chunks.reduce((sum, { bytes }) => sum + bytes.byteLength, 0),
    durationMs: captured.chunks.reduce((sum, { deltaMs }) => sum + deltaMs, 0),
    firstTokenMs: captured.firstTokenMs,
    redactionCount: cassette.request.redactions.length,
    usage: cassette.usage,
  };
}
