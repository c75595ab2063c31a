import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { LRUCache } from "lru-cache";
import { secondMs } from "#lib/platform/time";
import { newNonce } from "./page-headers";

/**
 * Keeps pages that are the same for everyone, because rendering one takes 20 to 200 ms of processor time. Each response has a
 * nonce of its own.
 */

/** The documentation and the changelog. */
const constantPage = /^\/(?:docs(?!\/search-results(?:\/|$))(?:\/[^?]*)?|changelog)$/;
const maxPageByteSize = 4 * 1024 * 1024;
const maxByteSize = 24 * 1024 * 1024;
/** The reference of the API has examples of this server's database. */
const maxAgeMs = 60 * secondMs;
/** Below that, compression does not pay. */
const minGzipByteSize = 1_024;
/** A sixth more bytes than by default, for less than half of the time. */
const gzipLevel = 2;

const compress = promisify(gzip);

type Page = {
  headers: OutgoingHttpHeaders;
  nonce: string;
  /** The body's parts between the places of the nonce. */
  parts: Buffer[];
};

/** Whether a browser asks for a whole page of those that are kept, and not for a part of it or as a server action. */
export function asksForConstantPage({ method, url = "", headers }: IncomingMessage): boolean {
  return (
    method === "GET" &&
    constantPage.test(url) &&
    /\btext\/html\b/i.test(headers.accept ?? "") &&
    headers.rsc === undefined &&
    headers["next-action"] === undefined
  );
}

/** Calls `done` with what a response has sent, once it has ended whole. */
function keepBody(response: ServerResponse, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let byteSize = 0;
  const keep = (chunk: unknown) => {
    if (typeof chunk !== "string" && !(chunk instanceof Uint8Array)) return;
    byteSize += chunk.length;
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

const acceptsGzip = ({ headers }: IncomingMessage): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(String(headers["accept-encoding"] ?? ""));

/** Keeps pages by what they depend on: their path and the address of the site. */
export class PageCache {
  readonly #pages = new LRUCache<string, Page>({
    maxSize: maxByteSize,
    sizeCalculation: ({ parts }) => parts.reduce((size, part) => size + part.byteLength, 1),
    ttl: maxAgeMs,
  });

  /** Answers with a kept page; false if there is none. */
  answer(key: string, request: IncomingMessage, response: ServerResponse): boolean {
    const page = this.#pages.get(key);
    if (!page) return false;
    void this.#send(page, request, response).catch(() => response.destroy());
    return true;
  }

  async #send(page: Page, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const nonce = newNonce();
    const body = Buffer.concat(page.parts.flatMap((part, index) => (index === 0 ? part : [Buffer.from(nonce), part])));
    const isCompressed = body.byteLength >= minGzipByteSize && acceptsGzip(request);
    const bytes = isCompressed ? await compress(body, { level: gzipLevel }) : body;
    if (response.destroyed) return;
    for (const [name, value] of Object.entries(page.headers)) response.setHeader(name, withNonce(value, page, nonce));
    if (isCompressed) response.setHeader("Content-Encoding", "gzip");
    response.setHeader("Content-Length", bytes.byteLength);
    response.end(bytes);
  }

  /** Keeps the page that is about to be rendered, unless it is not found or sets a cookie. */
  keep(key: string, request: IncomingMessage, response: ServerResponse): void {
    // Next.js compresses what it sends.
    delete request.headers["accept-encoding"];
    keepBody(response, (body) => {
      const { "set-cookie": cookie, "transfer-encoding": _, ...headers } = response.getHeaders();
      const [, nonce] = /'nonce-([^']+)'/.exec(String(headers["content-security-policy"])) ?? [];
      const isPage = response.statusCode === 200 && String(headers["content-type"]).startsWith("text/html");
      if (nonce && isPage && cookie === undefined)
        this.#pages.set(key, { headers, nonce, parts: splitAt(body, nonce) });
    });
  }
}
