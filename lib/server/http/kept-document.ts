import { LRUCache } from "lru-cache";
import { processSingleton } from "#lib/platform/process-singleton";
import { secondMs } from "#lib/platform/time";
import type { RequestContext } from "./context";
import { etagOf, type Reply } from "./reply";

const maxByteSize = 14 * 1024 * 1024;
/** How long documents are kept that list vendors, models or cassettes, in milliseconds. */
export const listMaxAgeMs = 5 * secondMs;

type Write = () => string | Promise<string>;
type Kept = { text: string; etag: string };

/** Documents by what they depend on. Requests for one that is being written wait for it. */
const documents = () =>
  processSingleton(
    "kept-documents",
    () =>
      new LRUCache<string, Kept, Write>({
        maxSize: maxByteSize,
        // A string has up to two bytes for each UTF-16 code unit.
        sizeCalculation: ({ text }) => 2 * text.length + 1,
        fetchMethod: async (_key, _stale, { context: write }) => {
          const text = await write();
          return { text, etag: etagOf(text) };
        },
        ignoreFetchAbort: true,
      }),
  );

type Options = {
  contentType: string;
  headers?: Record<string, string>;
  /** In milliseconds; without it, the document is kept as long as the process runs. */
  maxAgeMs?: number;
  write: Write;
};

/**
 * Returns a document that depends only on the address and site of the request. It is written once for each, or again after
 * `maxAgeMs`.
 */
export async function keptDocument(
  { origin, site }: Pick<RequestContext, "origin" | "site">,
  name: string,
  { contentType, headers, maxAgeMs = 0, write }: Options,
): Promise<Reply> {
  const key = `${origin} ${site.slug} ${name}`;
  const { text, etag } = await documents().forceFetch(key, { ttl: maxAgeMs, context: write });
  return {
    status: 200,
    headers: { "Content-Type": contentType, ...headers, ETag: etag },
    body: { kind: "text", text, isKept: true },
  };
}
