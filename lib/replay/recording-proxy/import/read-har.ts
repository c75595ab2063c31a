import {
  type Capture,
  generateTimes,
  harContent,
  harEntrySchema,
  ImportError,
  parseHar,
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
  const har = parseHar(capture);
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
    const content = response.status === 0 ? null : harContent(entry);
    const missing = response.status === 0 ? "it has no answer" : "the HAR has no content. Save it with content";
    return {
      place,
      method: request.method.toUpperCase(),
      url: request.url,
      requestHeaders: headersOf(request.headers).headers,
      requestBody: Buffer.from(request.postData?.text ?? ""),
      status: response.status,
      headers: { ...(mimeType ? { "content-type": mimeType } : {}), ...headers },
      omittedHeaders: omitted,
      body: content?.bytes ?? Buffer.alloc(0),
      isRebuilt: content?.rebuilt ?? false,
      problem: content ? undefined : missing,
      recordedAt: parseDate(entry.startedDateTime),
      time: (body, provider, contentType) =>
        timeHarEntry(har, entry, splitEvents(body, framingOf(contentType)), (pieces) =>
          generateTimes(pieces, provider),
        ),
    };
  });
}
