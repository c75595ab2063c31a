import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { LRUCache } from "lru-cache";
import { processSingleton } from "#lib/platform/process-singleton";

const compress = promisify(gzip);

const maxByteSize = 2 * 1024 * 1024;
/** Shorter texts are sent as they are. */
const minLength = 1_024;
/** Documents, but not event streams. */
const documentType = /^(?:application\/(?:[\w.-]+\+)?(?:json|xml)|text\/(?!event-stream))/;

/** Compressed texts by their entity tag. */
const compressedTexts = () =>
  processSingleton(
    "compressed-texts",
    () =>
      new LRUCache<string, Buffer, { text: string | Uint8Array }>({
        maxSize: maxByteSize,
        // Its buffer can be larger than what zlib wrote to it.
        sizeCalculation: ({ buffer }) => buffer.byteLength,
        fetchMethod: (_etag, _stale, { context: { text } }) => compress(text),
        ignoreFetchAbort: true,
      }),
  );

/** Whether a text is compressed for clients that accept it. */
export function isCompressed(text: string | Uint8Array, contentType = ""): boolean {
  return text.length >= minLength && documentType.test(contentType);
}

/** Returns a text compressed. It is compressed once for several requests, and kept by its entity tag. */
export function compressText(etag: string, text: string | Uint8Array): Promise<Buffer> {
  return compressedTexts().forceFetch(etag, { context: { text } });
}
