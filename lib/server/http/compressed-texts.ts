import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { LRUCache } from "lru-cache";
import { processSingleton } from "#lib/platform/process-singleton";

const compress = promisify(gzip);

/** Memory for compressed documents, in bytes. */
const maxKeptByteSize = 2 * 1024 * 1024;
/** Shorter and longer texts are sent as they are: compressing takes about 20 ms of processor time for each MiB. */
const [minByteSize, maxByteSize] = [1_024, 4 * 1024 * 1024];
/** Documents, but not event streams. */
const documentType = /^(?:application\/(?:[\w.-]+\+)?(?:json|xml)|text\/(?!event-stream))/;

/** Compressed documents by their entity tag. */
const compressedTexts = () =>
  processSingleton(
    "compressed-texts",
    () =>
      new LRUCache<string, Buffer, { text: string | Uint8Array }>({
        maxSize: maxKeptByteSize,
        // Its buffer can be larger than what zlib wrote to it.
        sizeCalculation: ({ buffer }) => buffer.byteLength,
        fetchMethod: (_etag, _stale, { context: { text } }) => compress(text),
        ignoreFetchAbort: true,
      }),
  );

/** Whether a text is compressed for clients that accept it. */
export function isCompressed(text: string | Uint8Array, contentType = ""): boolean {
  if (!documentType.test(contentType)) return false;
  const byteSize = Buffer.byteLength(text);
  return byteSize >= minByteSize && byteSize <= maxByteSize;
}

/** Returns a text compressed. With an entity tag, it is compressed once for several requests, and kept by the tag. */
export function compressText(text: string | Uint8Array, etag?: string): Promise<Buffer> {
  return etag === undefined ? compress(text) : compressedTexts().forceFetch(etag, { context: { text } });
}
