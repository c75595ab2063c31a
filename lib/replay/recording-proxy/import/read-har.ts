import {
  type Capture,
  generateTimes,
  harContent,
  harEntrySchema,
  harSchema,
  ImportError,
  parseJson,
  splitEvents,
  timeHarEntry,
} from "#lib/replay/cassettes/index";
import { framingOf } from "#lib/replay/providers/index";
import {
  maxExchangeCount,
  parseDate,
  readHeaders,
  type SourceExchange,
  type UnreadableExchange,
} from "./source-exchange";

type Named = readonly { name: string; value: string }[];

function headersOf(headers: Named) {
  return readHeaders(headers.map(({ name, value }) => [name, value] as const));
}

/** Reads a HAR file: each of its entries. Throws ImportError. */
export function readHar(capture: Capture): (SourceExchange | UnreadableExchange)[] {
  const { file } = capture;
  const parsed = harSchema.safeParse(parseJson(capture));
  if (!parsed.success) throw new ImportError(file, "is not a HAR file: it has no log.entries");
  const har = parsed.data;
  const { entries } = har.log;
  if (entries.length > maxExchangeCount)
    throw new ImportError(file, `has ${entries.length} entries; the limit is ${maxExchangeCount}`);
  return entries.map((value, index) => {
    const place = `entry ${index + 1}`;
    const read = harEntrySchema.safeParse(value);
    const [issue] = read.error?.issues ?? [];
    if (!read.success) return { place, unreadable: `${issue?.path.join(".")}: ${issue?.message}` };
    const entry = read.data;
    const { request, response } = entry;
    const { mimeType } = response.content;
    const { headers, omitted } = headersOf(response.headers);
    const content = contentOf({ number: index + 1, entry }, file);
    return {
      place,
      method: request.method.toUpperCase(),
      url: request.url,
      requestHeaders: headersOf(request.headers).headers,
      requestBody: Buffer.from(request.postData?.text ?? ""),
      status: response.status,
      headers: { ...(mimeType ? { "content-type": mimeType } : {}), ...headers },
      omittedHeaders: omitted,
      body: content.bytes,
      isRebuilt: content.rebuilt,
      problem: content.problem,
      recordedAt: parseDate(entry.startedDateTime),
      time: (body, provider, contentType) =>
        timeHarEntry(har, entry, splitEvents(body, framingOf(contentType)), (pieces) =>
          generateTimes(pieces, provider),
        ),
    };
  });
}

type Content = { bytes: Buffer; rebuilt: boolean; problem?: string };

function contentOf(numbered: Parameters<typeof harContent>[0], file: string): Content {
  if (numbered.entry.response.status === 0)
    return { bytes: Buffer.alloc(0), rebuilt: false, problem: "it has no answer" };
  try {
    return harContent(numbered, file);
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    return { bytes: Buffer.alloc(0), rebuilt: false, problem: "the HAR has no content. Save it with content" };
  }
}
