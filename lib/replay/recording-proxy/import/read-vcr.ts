import { z } from "zod";
import { type Capture, ImportError, parseJson } from "#lib/replay/cassettes/index";
import { readYaml, YamlError } from "./read-yaml";
import { maxExchangeCount, parseDate, type SourceExchange } from "./source-exchange";

const headerValue = z.union([z.string(), z.number()]).transform(String);
/** Names with one value or a list of them. */
const headersSchema = z
  .record(z.string(), z.union([headerValue.transform((value) => [value]), z.array(headerValue)]))
  .nullish();

const message = { headers: headersSchema, body: z.unknown().optional(), parsed_body: z.unknown().optional() };

/** An interaction of vcrpy, of VCR for Ruby, and of go-vcr. */
const interactionSchema = z.looseObject({
  request: z.looseObject({ ...message, method: z.string(), uri: z.string().optional(), url: z.string().optional() }),
  response: z.looseObject({
    ...message,
    content: z.unknown().optional(),
    status: z.unknown().optional(),
    status_code: z.unknown().optional(),
    code: z.unknown().optional(),
  }),
  recorded_at: z.unknown().optional(),
});
type Interaction = z.infer<typeof interactionSchema>;
type Body = { bytes: Uint8Array; isRebuilt: boolean };

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value) && !(value instanceof Uint8Array);
}

/** Returns the bytes of a body, however a serializer wrote them; undefined if this is none of their forms. */
function readBody(value: unknown): Body | undefined {
  const bytesOf = (bytes: Uint8Array): Body => ({ bytes, isRebuilt: false });
  if (value === null || value === undefined) return bytesOf(Buffer.alloc(0));
  if (value instanceof Uint8Array) return bytesOf(value);
  if (typeof value === "string") return bytesOf(Buffer.from(value));
  if (!isObject(value)) return undefined;
  if (typeof value.base64_string === "string") return bytesOf(Buffer.from(value.base64_string, "base64"));
  return "string" in value ? readBody(value.string) : undefined;
}

/** Returns the body of a message: pydantic-ai keeps JSON parsed, and older versions of vcrpy have `content`. */
function bodyOf(message: { body?: unknown; parsed_body?: unknown; content?: unknown }): Body | undefined {
  if (message.parsed_body !== undefined && message.body === undefined)
    return { bytes: Buffer.from(JSON.stringify(message.parsed_body)), isRebuilt: true };
  return readBody(message.body ?? message.content);
}

function headersOf(headers: z.infer<typeof headersSchema>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, values]) => [name.toLowerCase(), values.join(", ")]),
  );
}

function statusOf({ status, status_code: statusCode, code }: Interaction["response"]): number | undefined {
  return [isObject(status) ? status.code : status, statusCode, code]
    .map(Number)
    .find((value) => Number.isInteger(value) && value >= 100 && value <= 599);
}

function readInteraction(value: unknown, place: string, file: string): SourceExchange {
  const parsed = interactionSchema.safeParse(value);
  const [issue] = parsed.error?.issues ?? [];
  if (!parsed.success)
    throw new ImportError(file, `${place}: ${issue?.path.join(".") || "the entry"}: ${issue?.message}`);
  const { request, response, recorded_at: recordedAt } = parsed.data;
  const [sent, received, status] = [bodyOf(request), bodyOf(response), statusOf(response)];
  if (!sent) throw new ImportError(file, `${place}: request.body is neither text, bytes nor JSON`);
  if (!received) throw new ImportError(file, `${place}: response.body is neither text, bytes nor JSON`);
  if (status === undefined) throw new ImportError(file, `${place}: response.status has no code`);
  const headers = headersOf(response.headers);
  return {
    place,
    method: request.method.toUpperCase(),
    url: request.uri ?? request.url ?? "",
    requestHeaders: headersOf(request.headers),
    requestBody: sent.bytes,
    status,
    headers,
    body: received.bytes,
    isRebuilt: received.isRebuilt,
    problem: undefined,
    recordedAt: parseDate(recordedAt) ?? parseDate(headers.date),
  };
}

function parse(capture: Capture): unknown {
  if (/\.json$/i.test(capture.file)) return parseJson(capture);
  try {
    return readYaml(capture.bytes.toString("utf8"));
  } catch (cause) {
    throw cause instanceof YamlError ? new ImportError(capture.file, cause.message, { cause }) : cause;
  }
}

/** Reads a cassette of vcrpy, pytest-recording, VCR or go-vcr, in YAML or JSON. Throws ImportError. */
export function readVcr(capture: Capture): SourceExchange[] {
  const { file } = capture;
  const document = parse(capture);
  const list = isObject(document) ? (document.interactions ?? document.http_interactions) : undefined;
  if (!Array.isArray(list)) throw new ImportError(file, "is not a cassette of VCR: it has no list of interactions");
  if (list.length > maxExchangeCount)
    throw new ImportError(file, `has ${list.length} interactions; the limit is ${maxExchangeCount}`);
  return list.map((value, index) => readInteraction(value, `interaction ${index + 1}`, file));
}
