import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { crc32, deflateRaw, gunzipSync, constants as zlib } from "node:zlib";
import { LRUCache } from "lru-cache";
import { secondMs } from "#lib/platform/time";
import { newNonce } from "./page-headers";
import { isPartial } from "./page-response";
import { acceptsGzip } from "./reply";

/**
 * Keeps pages that are the same for everyone, because rendering one takes 20 to 200 ms of processor time. Each response has a
 * nonce of its own.
 */

/** Kept pages and for how long, in milliseconds. Nothing on them depends on who asks. */
const keptPages: readonly [path: RegExp, maxAgeMs: number][] = [
  // The reference of the API has examples of this server's database.
  [/^\/(?:docs(?!\/search-results(?:\/|$))(?:\/[^?]*)?|changelog)$/, 60 * secondMs],
  // Public vendors and their changes.
  [/^\/(?:vendors|changes|pricing)?$/, 5 * secondMs],
];
const maxPageByteSize = 4 * 1024 * 1024;
const maxByteSize = 20 * 1024 * 1024;
const maxCompressedByteSize = 4 * 1024 * 1024;
/** Memory of a part beyond its bytes. */
const partByteSize = 128;

const deflate = promisify(deflateRaw);

type Page = {
  headers: OutgoingHttpHeaders;
  nonce: string;
  /** The body's parts between the places of the nonce. */
  parts: Buffer[];
  maxAgeMs: number;
  /** Once the page has expired: the response for which it is rendered again. */
  renewal?: ServerResponse | undefined;
};

/**
 * Returns for how many milliseconds the answer to a request may be kept: 0 unless a browser asks for a whole page of those that
 * are kept, and not for a part of it or as a server action.
 */
export function keptMs({ method, url = "", headers }: IncomingMessage): number {
  const isPage =
    method === "GET" &&
    /\btext\/html\b/i.test(headers.accept ?? "") &&
    headers.rsc === undefined &&
    headers["next-action"] === undefined;
  return (isPage && keptPages.find(([path]) => path.test(url))?.[1]) || 0;
}

/** Calls `done` with what a response has sent, once it has ended whole. */
function keepBody(response: ServerResponse, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let byteSize = 0;
  const keep = (chunk: unknown) => {
    if (typeof chunk !== "string" && !(chunk instanceof Uint8Array)) return;
    byteSize += Buffer.byteLength(chunk);
    if (byteSize <= maxPageByteSize) chunks.push(Buffer.from(chunk as string));
  };
  const write = response.write.bind(response) as (...args: unknown[]) => boolean;
  const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse;
  response.write = (...args: unknown[]) => {
    keep(args[0]);
    return write(...args);
  };
  response.end = (...args: unknown[]) => {
    keep(args[0]);
    return end(...args);
  };
  response.once("finish", () => {
    if (byteSize <= maxPageByteSize) done(Buffer.concat(chunks));
  });
}

/** Returns the text of a body; undefined if it cannot be decompressed or is too long. */
function decompressed(body: Buffer, encoding: OutgoingHttpHeaders[string]): Buffer | undefined {
  try {
    return encoding === "gzip" ? gunzipSync(body, { maxOutputLength: maxPageByteSize }) : body;
  } catch {
    return undefined;
  }
}

function withNonce(value: OutgoingHttpHeaders[string], page: Page, nonce: string): string | string[] {
  if (Array.isArray(value)) return value.map((each) => each.replaceAll(page.nonce, nonce));
  return String(value ?? "").replaceAll(page.nonce, nonce);
}

/** Returns the parts of a text between the places of another one. */
function splitAt(text: Buffer, separator: string): Buffer[] {
  const parts: Buffer[] = [];
  let start = 0;
  for (let end = text.indexOf(separator); end !== -1; end = text.indexOf(separator, start)) {
    parts.push(text.subarray(start, end));
    start = end + separator.length;
  }
  return [...parts, text.subarray(start)];
}

/** How far back DEFLATE refers to earlier text, in bytes. */
const windowByteSize = 32 * 1024;

/**
 * Compresses the parts of a page as blocks of DEFLATE, each ending at a byte, so that any nonce can be put between them. A part
 * refers to the text of earlier ones, but not to the nonces between them, whose places have bytes that UTF-8 does not use.
 */
function compressParts({ parts, nonce }: Page): Promise<Buffer[]> {
  const gap = Buffer.alloc(nonce.length, 0xff);
  let before = Buffer.alloc(0);
  return Promise.all(
    parts.map(async (part) => {
      const dictionary = before;
      before = Buffer.concat([before, part, gap]).subarray(-windowByteSize);
      // A copy, because what zlib returns holds a buffer of 16 KiB.
      return Buffer.from(await deflate(part, { dictionary, finishFlush: zlib.Z_SYNC_FLUSH }));
    }),
  );
}

/** A gzip header without a name and time (RFC 1952). */
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** The last block of DEFLATE: an empty one (RFC 1951). */
const lastBlock = Buffer.from([1, 0, 0, 0xff, 0xff]);

/** Returns text as a stored block of DEFLATE. */
function storedBlock(text: Buffer): Buffer {
  const head = Buffer.from([0, 0, 0, 0, 0]);
  head.writeUInt16LE(text.length, 1);
  head.writeUInt16LE(0xffff - text.length, 3);
  return Buffer.concat([head, text]);
}

const joined = (parts: readonly Buffer[], between: Buffer): Buffer[] =>
  parts.flatMap((part, index) => (index === 0 ? part : [between, part]));

/** Returns the gzip file of a text, of which some pieces are compressed already. */
function gzipFile(pieces: readonly Buffer[], blocks: readonly Buffer[]): Buffer {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(pieces.reduce((sum, piece) => crc32(piece, sum), 0));
  trailer.writeUInt32LE(
    pieces.reduce((size, { length }) => size + length, 0),
    4,
  );
  return Buffer.concat([gzipHeader, ...blocks, lastBlock, trailer]);
}

/** Keeps pages by what they depend on: their path and the address of the site. */
export class PageCache {
  readonly #pages = new LRUCache<string, Page>({
    maxSize: maxByteSize,
    // All parts lie in one buffer.
    sizeCalculation: ({ parts }) => (parts[0]?.buffer.byteLength ?? 0) + parts.length * partByteSize,
  });
  /** The compressed parts of pages that a client accepted, by the page's nonce. */
  readonly #compressed = new LRUCache<string, Buffer[], Page>({
    maxSize: maxCompressedByteSize,
    sizeCalculation: (parts) => parts.reduce((size, { byteLength }) => size + byteLength + partByteSize, 0),
    fetchMethod: (_nonce, _stale, { context }) => compressParts(context),
    ignoreFetchAbort: true,
  });

  /**
   * Answers with a kept page; false if this request has to render it. The first request after a page expired renders it again.
   * Until that is done, at most for the time that the page was kept, the others get the expired one.
   */
  answer(key: string, request: IncomingMessage, response: ServerResponse): boolean {
    const page = this.#pages.get(key);
    if (!page) return false;
    const hasExpired = this.#pages.getRemainingTTL(key) <= page.maxAgeMs;
    if (hasExpired && !page.renewal) {
      page.renewal = response;
      response.once("close", () => {
        page.renewal = undefined;
      });
    }
    if (page.renewal === response) return false;
    void this.#send(page, request, response).catch(() => response.destroy());
    return true;
  }

  async #send(page: Page, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const nonce = newNonce();
    const place = Buffer.from(nonce);
    const pieces = joined(page.parts, place);
    const compressed = acceptsGzip(request) && (await this.#compressed.forceFetch(page.nonce, { context: page }));
    const blocks = compressed && joined(compressed, storedBlock(place));
    const bytes = blocks ? gzipFile(pieces, blocks) : Buffer.concat(pieces);
    if (response.destroyed) return;
    for (const [name, value] of Object.entries(page.headers)) response.setHeader(name, withNonce(value, page, nonce));
    if (blocks) response.setHeader("Content-Encoding", "gzip");
    response.setHeader("Content-Length", bytes.byteLength);
    response.end(bytes);
  }

  /** Keeps the page that is about to be rendered, unless it is not found, lacks something or sets a cookie. */
  keep(key: string, maxAgeMs: number, request: IncomingMessage, response: ServerResponse): void {
    // Next.js compresses what it sends.
    request.headers["accept-encoding"] = acceptsGzip(request) ? "gzip" : "identity";
    keepBody(response, (sent) => {
      const headers = response.getHeaders();
      const { "content-security-policy": policy, "content-type": type, "content-encoding": encoding } = headers;
      for (const name of ["transfer-encoding", "content-encoding"]) delete headers[name];
      const [, nonce] = /'nonce-([^']+)'/.exec(String(policy)) ?? [];
      const isPage = response.statusCode === 200 && String(type).startsWith("text/html");
      if (!nonce || !isPage || isPartial(response) || headers["set-cookie"] !== undefined) return;
      const text = decompressed(sent, encoding);
      if (text) this.#pages.set(key, { headers, nonce, parts: splitAt(text, nonce), maxAgeMs }, { ttl: 2 * maxAgeMs });
    });
  }
}
