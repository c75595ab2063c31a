import * as z from "zod";
import { decodeText } from "#lib/platform/bytes";
import { type Capture, ImportError, parseJson } from "#lib/replay/cassettes/index";
import { readYaml, WrittenNumber, YamlError } from "./read-yaml";
import {
  maxExchangeCount,
  parseDate,
  readHeaders,
  type SourceExchange,
  type UnreadableExchange,
} from "./source-exchange";

const headersSchema = z.record(z.string(), z.unknown()).nullish();

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

/** Returns a value of YAML as JSON, with its numbers as they are written. Throws if it has bytes. */
function jsonText(value: unknown): string {
  if (value instanceof Uint8Array) throw new TypeError("Bytes are not JSON.");
  if (value instanceof WrittenNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`)}}`;
}

function jsonBody(value: unknown): Body | undefined {
  try {
    return { bytes: Buffer.from(jsonText(value)), isRebuilt: true };
  } catch {
    return undefined;
  }
}

/** Returns the body of a message: pydantic-ai keeps JSON parsed, and older versions of vcrpy have `content`. */
function bodyOf(message: { body?: unknown; parsed_body?: unknown; content?: unknown }): Body | undefined {
  if (message.parsed_body !== undefined && message.body === undefined) return jsonBody(message.parsed_body);
  return readBody(message.body ?? message.content);
}

function headersOf(headers: z.infer<typeof headersSchema>) {
  return readHeaders(Object.entries(headers ?? {}));
}

function statusOf({ status, status_code: statusCode, code }: Interaction["response"]): number | undefined {
  return [isObject(status) ? status.code : status, statusCode, code]
    .map(Number)
    .find((value) => Number.isInteger(value) && value >= 100 && value <= 599);
}

function readInteraction(value: unknown, place: string): SourceExchange | UnreadableExchange {
  const parsed = interactionSchema.safeParse(value);
  const [issue] = parsed.error?.issues ?? [];
  if (!parsed.success) return { place, unreadable: `${issue?.path.join(".") || "the entry"}: ${issue?.message}` };
  const { request, response, recorded_at: recordedAt } = parsed.data;
  // Of aiohttp, vcrpy keeps what was given as JSON.
  const sent = bodyOf(request) ?? (isObject(request.body) ? jsonBody(request.body) : undefined);
  const [received, status] = [bodyOf(response), statusOf(response)];
  if (!sent) return { place, unreadable: "request.body is neither text, bytes nor JSON" };
  if (!received) return { place, unreadable: "response.body is neither text, bytes nor JSON" };
  if (status === undefined) return { place, unreadable: "response.status has no code" };
  const { headers, omitted } = headersOf(response.headers);
  return {
    place,
    method: request.method.toUpperCase(),
    url: request.uri ?? request.url ?? "",
    requestHeaders: headersOf(request.headers).headers,
    requestBody: sent.bytes,
    status,
    headers,
    omittedHeaders: omitted,
    body: received.bytes,
    isRebuilt: received.isRebuilt,
    problem: undefined,
    recordedAt: parseDate(recordedAt) ?? parseDate(headers.date),
  };
}

/** What suites keep in files of the same form beside HTTP, each with a member that only it has. */
const otherRecordings = [
  { what: "a WebSocket session", member: "direction" },
  { what: "gRPC calls", member: "request_sample" },
  { what: "gRPC calls", member: "request_stream" },
];

/** Throws ImportError if a file has recordings of another protocol than HTTP. */
function refuseOthers(list: readonly unknown[], file: string): void {
  const entries = list.filter(isObject);
  if (entries.some((entry) => "request" in entry)) return;
  const other = otherRecordings.find(({ member }) => entries.some((entry) => member in entry));
  if (!other) return;
  throw new ImportError(
    file,
    `has ${other.what}, and only HTTP can be imported. Leave this test with the tool that recorded it`,
  );
}

function parse(capture: Capture): unknown {
  if (/\.json$/i.test(capture.file)) return parseJson(capture);
  try {
    return readYaml(decodeText(capture.bytes));
  } catch (cause) {
    throw cause instanceof YamlError ? new ImportError(capture.file, cause.message, { cause }) : cause;
  }
}

/** Reads a cassette of vcrpy, pytest-recording, VCR or go-vcr, in YAML or JSON. Throws ImportError. */
export function readVcr(capture: Capture): (SourceExchange | UnreadableExchange)[] {
  const { file } = capture;
  const document = parse(capture);
  const list = isObject(document) ? (document.interactions ?? document.http_interactions) : undefined;
  if (!Array.isArray(list)) throw new ImportError(file, "is not a cassette of VCR: it has no list of interactions");
  if (list.length > maxExchangeCount)
    throw new ImportError(file, `has ${list.length} interactions; the limit is ${maxExchangeCount}`);
  refuseOthers(list, file);
  return list.map((value, index) => readInteraction(value, `interaction ${index + 1}`));
}
