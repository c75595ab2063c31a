import type { Clock } from "#lib/platform/clock";
import { serviceName, version } from "#lib/platform/version";
import { foldMessage } from "../fold-message";
import { readEvents } from "../read-events";
import { type Cassette, cassetteIdSchema } from "../schemas";
import { sealCassette } from "../seal-cassette";
import { checkDestination, type Destination, writeCassette } from "../write-cassette";
import { type Capture, capture, type Listeners } from "./capture";
import { type RecordLimits, recordLimits } from "./limits";
import { RecordError } from "./record-error";
import { keptHeaders, redact } from "./redact";

export type RecordInput = {
  /** `<vertical>/<slug>`. */
  id: string;
  title: string;
  subtitle: string;
  /** Body of the Messages request; `stream` is always set to true. */
  body: Record<string, unknown>;
  /** Address of an Anthropic-compatible provider, without `/v1/messages`. */
  baseUrl: string;
  apiKey: string | undefined;
  /** Whether an error response, or a stream that was cut, is kept as a cassette. */
  allowError: boolean;
  destination: Destination;
};

export type RecordContext = Listeners & { clock: Clock; signal?: AbortSignal; limits?: RecordLimits };

/** What was recorded, for a person to read. */
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
    // Told below, like any other address that cannot be used.
  }
  throw new RecordError("connection", `${baseUrl} is not an http(s) address. Check --base-url.`);
}

function modelOf(captured: Capture, body: Record<string, unknown>): string | null {
  const model = foldMessage(readEvents(captured.chunks)).message?.model ?? body.model;
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
    request: { body: clean.body, redactions: clean.redactions },
    response: {
      status: captured.status,
      headers: clean.headers,
      contentEncoding: captured.contentEncoding,
      wireBytes: captured.wireByteSize,
    },
    chunks: clean.chunks,
    end: captured.end,
  });
  // The title comes from the person, not from the exchange, and nothing else may let the key through either.
  if (input.apiKey && input.apiKey.length >= 8 && JSON.stringify(cassette).includes(input.apiKey)) {
    throw new RecordError("bound", "The API key stands in the title or subtitle. Take it out and record again.");
  }
  return cassette;
}

/** What is kept although it is not whole: an error of the provider's, or a stream that was cut. */
function mayKeep({ status, problem }: Capture, allowError: boolean): boolean {
  return problem === undefined || (allowError && (status < 300 || status >= 400));
}

/**
 * Sends one request to a provider and writes the answer as a cassette: measured, without secrets, verified, whole.
 * Where it fails, nothing is written. Throws RecordError, WriteError and CassetteError.
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
