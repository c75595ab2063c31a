import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { LRUCache } from "lru-cache";
import { processSingleton } from "#lib/platform/process-singleton";
import { secondMs } from "#lib/platform/time";
import type { RequestContext } from "./context";
import { etagOf, type Reply, textReply } from "./reply";

const compress = promisify(gzip);

const maxByteSize = 16 * 1024 * 1024;
/** How long documents are kept that list vendors, models or cassettes, in milliseconds. */
export const listMaxAgeMs = 5 * secondMs;

type Kept = { text: string; gzipped: Buffer; etag: string };

const documents = () =>
  processSingleton(
    "kept-documents",
    () =>
      new LRUCache<string, Kept>({
        maxSize: maxByteSize,
        sizeCalculation: ({ text, gzipped }) => text.length + gzipped.byteLength + 1,
      }),
  );

type Options = {
  contentType: string;
  headers?: Record<string, string>;
  /** In milliseconds; without it, the document is kept as long as the process runs. */
  maxAgeMs?: number;
  write: () => string | Promise<string>;
};

/**
 * Returns a document that depends only on the address and site of the request. It is written and compressed once for each, or
 * again after `maxAgeMs`.
 */
export async function keptDocument(
  { origin, site }: Pick<RequestContext, "origin" | "site">,
  name: string,
  { contentType, headers, maxAgeMs = 0, write }: Options,
): Promise<Reply> {
  const key = `${origin} ${site.slug} ${name}`;
  const known = documents().get(key);
  const text = known?.text ?? (await write());
  const kept = known ?? { text, gzipped: await compress(text), etag: etagOf(text) };
  if (!known) documents().set(key, kept, { ttl: maxAgeMs });
  const reply = textReply(text, contentType, { ...headers, ETag: kept.etag, Vary: "Accept-Encoding" });
  return { ...reply, body: { kind: "text", text, gzipped: kept.gzipped } };
}
