import { decodeBase64, encodeText, joinBytes } from "#lib/platform/bytes";
import { parseUrl } from "#lib/platform/parse-url";
import {
  type Framing,
  framingOf,
  type Provider,
  pathInProtocol,
  providersOf,
  serverSentEvent,
} from "#lib/replay/providers/index";
import { keepHeaders } from "../recorder/keep-headers";
import {
  type Capture,
  contentTypes,
  ImportError,
  type ImportedStream,
  parseJson,
  type ReaderOptions,
  recognizeProvider,
} from "./capture";
import { spaceEvenly, splitEvents } from "./event-pieces";
import { type Har, type HarEntry, harEntrySchema, harSchema, timeHarEntry } from "./har-entry";

type Numbered = { number: number; entry: HarEntry };

function contentTypeOf({ response: { content, headers } }: HarEntry): string {
  return headers.find(({ name }) => name.toLowerCase() === "content-type")?.value ?? content.mimeType ?? "";
}

function isStream(entry: HarEntry): boolean {
  return [contentTypeOf(entry), entry.response.content.mimeType].some((type) => framingOf(type) !== "json");
}

/** Query parameters that contain credentials. */
const secretParameter = /key|token|secret|auth|sig/i;

/** A request for an answer, below any prefix such as that of a gateway: where it is sent to, and whose protocol that is. */
function answerPlace({ request }: HarEntry): { provider: Provider; path: string; query: string } | undefined {
  const url = parseUrl(request.url);
  const at = { method: request.method, path: url?.pathname ?? "/" };
  const found = providersOf(at).find(({ operation }) => operation === "generate");
  const parameters = [...(url?.searchParams ?? [])].filter(([name]) => !secretParameter.test(name));
  if (!found) return undefined;
  const { provider } = found;
  return { provider, path: pathInProtocol(provider, at), query: new URLSearchParams(parameters).toString() };
}

/** Returns the entries that may be answers of a model: streams, and JSON from a path where a provider answers. */
function answers({ log }: Har): Numbered[] {
  return log.entries.flatMap((value, index) => {
    const parsed = harEntrySchema.safeParse(value);
    if (!parsed.success) return [];
    const isJson = /^application\/json\b/i.test(contentTypeOf(parsed.data));
    const mayBe = isStream(parsed.data) || (isJson && answerPlace(parsed.data) !== undefined);
    return mayBe ? [{ number: index + 1, entry: parsed.data }] : [];
  });
}

/** Returns a URL without its query and credentials, which may be secret. */
function plainUrl(url: string): string {
  const parsed = parseUrl(url);
  return parsed ? `${parsed.origin}${parsed.pathname}` : url.slice(0, 200);
}

function choose(streams: Numbered[], har: Har, file: string, entryNumber: number | undefined): Numbered {
  if (entryNumber !== undefined) {
    const chosen = streams.find(({ number }) => number === entryNumber);
    if (chosen) return chosen;
    throw new ImportError(
      file,
      `entry ${entryNumber} is not an answer of a model (there are ${har.log.entries.length} entries)`,
    );
  }
  const [first, ...others] = streams;
  if (!first) throw new ImportError(file, `none of its ${har.log.entries.length} entries is an answer of a model`);
  if (others.length === 0) return first;
  const list = streams.slice(0, 10).map(({ number, entry }) => `${number} (${plainUrl(entry.request.url)})`);
  throw new ImportError(file, `has ${streams.length} answers; choose one with --entry: ${list.join(", ")}`);
}

/** Decodes base64. Polly.js writes a list of pieces, each with its own padding. */
function decodePieces(text: string): Uint8Array {
  const pieces = text.startsWith("[") ? text.split(/[^A-Za-z0-9+/=]+/) : [text];
  return joinBytes(pieces.map(decodeBase64));
}

/** Returns the bytes of the stream; rebuilt from the browser's list of messages if the content is missing. Null without both. */
export function harContent(entry: HarEntry): { bytes: Uint8Array; rebuilt: boolean } | null {
  const { text, encoding } = entry.response.content;
  if (text) return { bytes: encoding === "base64" ? decodePieces(text) : encodeText(text), rebuilt: false };
  const messages = entry._eventSourceMessages ?? [];
  const events = messages.map(({ eventName, data }) =>
    serverSentEvent(data.replaceAll("\n", "\ndata: "), eventName === "message" ? undefined : eventName),
  );
  return events.length === 0 ? null : { bytes: encodeText(events.join("")), rebuilt: true };
}

function requestBody({ request }: HarEntry): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(request.postData?.text ?? "{}");
    return body !== null && typeof body === "object" && !Array.isArray(body) ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function framingOfEntry(entry: HarEntry): Framing {
  const framing = framingOf(contentTypeOf(entry));
  return framing === "json" && isStream(entry) ? framingOf(entry.response.content.mimeType) : framing;
}

/** Parses a HAR file. Throws ImportError. */
export function parseHar(capture: Capture): Har {
  const parsed = harSchema.safeParse(parseJson(capture));
  if (parsed.success) return parsed.data;
  throw new ImportError(capture.file, "is not a HAR file: it has no log.entries");
}

/** An answer in a HAR file, for choosing one. */
export type HarAnswer = {
  /** Number of the entry, from 1. */
  number: number;
  method: string;
  /** Without its query. */
  url: string;
  status: number;
  /** Time of the request, as the file has it. */
  startedAt: string | null;
};

/** Lists the entries of a HAR file that may be answers of a model. Throws ImportError. */
export function listHarAnswers(capture: Capture): HarAnswer[] {
  return answers(parseHar(capture)).map(({ number, entry: { request, response, startedDateTime } }) => ({
    number,
    method: request.method.slice(0, 20),
    url: plainUrl(request.url),
    status: response.status,
    startedAt: startedDateTime?.slice(0, 40) ?? null,
  }));
}

/** Converts an answer in a HAR file. Throws ImportError. */
export function readHar(
  capture: Capture,
  { entry: entryNumber, chunkMs, provider: given, generate }: ReaderOptions,
): ImportedStream {
  const { file } = capture;
  const har = parseHar(capture);
  const chosen = choose(answers(har), har, file, entryNumber);
  const { response, request, startedDateTime } = chosen.entry;
  const content = harContent(chosen.entry);
  const advice = "Save the HAR with content and try again";
  if (!content) throw new ImportError(file, `entry ${chosen.number} has no content. ${advice}`);
  const { bytes, rebuilt } = content;
  const framing = framingOfEntry(chosen.entry);
  const place = answerPlace(chosen.entry);
  const provider = recognizeProvider(bytes, framing, file, given ?? place?.provider);
  const pieces = splitEvents(bytes, framing);
  const timed = timeHarEntry(har, chosen.entry, pieces, (given) => generate(given, provider));
  const { creator } = har.log;
  return {
    provider,
    ...(chunkMs === undefined
      ? timed
      : { chunks: spaceEvenly(pieces, chunkMs), timing: "synthetic", boundary: "sse-event" }),
    status: Math.max(response.status, 200),
    headers: {
      ...keepHeaders(provider, Object.fromEntries(response.headers.map(({ name, value }) => [name, value]))),
      "content-type":
        framingOf(contentTypeOf(chosen.entry)) === framing ? contentTypeOf(chosen.entry) : contentTypes[framing],
    },
    body: requestBody(chosen.entry),
    place: place?.provider === provider ? place : undefined,
    source: {
      format: "har",
      tool: `${creator?.name ?? ""} ${creator?.version ?? ""}`.trim().slice(0, 200) || null,
      entry: chosen.number,
      url: plainUrl(request.url).slice(0, 2000),
      captured_at: startedDateTime?.slice(0, 40) ?? null,
      rebuilt,
      times: chunkMs === undefined ? timed.note : "Even, as requested.",
    },
  };
}
