import { get, list, put } from "@vercel/blob";
import { withTimeout } from "#lib/platform/with-timeout";
import { maxCassetteByteSize } from "../schemas";
import { type CassetteStore, idOfPath, type ReadFile, type StoredFile, StoreUnavailableError } from "./cassette-store";

export type BlobSettings = {
  token: string;
  /** Path in front of `<vertical>/<slug>.json`, such as `cassettes/`. */
  prefix: string;
  /** Whether the Blob store was made as a public or a private one. */
  access: "public" | "private";
};

/** Longest wait for one answer of Vercel Blob, its further tries included, in milliseconds. */
const requestTimeoutMs = 10_000;
/** Longest time for a cassette on its way up: 64 MiB at about 4 Mbit/s, in milliseconds. */
const pushTimeoutMs = 120_000;
/** Most pages of 1,000 files that a listing reads. */
const maxPageCount = 20;
/** How long Vercel's edge may keep a pushed cassette, in seconds: the least it allows. */
const edgeCacheSeconds = 60;

async function readBounded(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let byteSize = 0;
  for await (const part of stream) {
    parts.push(part);
    byteSize += part.byteLength;
    if (byteSize > maxCassetteByteSize) break;
  }
  return Buffer.concat(parts);
}

/** An ETag without the marks that differ between the API, which lists, and the edge, which compresses and serves. */
function revisionOf(etag: string): string {
  return etag.replace(/^W\//, "").replaceAll('"', "");
}

/** Cassettes as blobs `<prefix><vertical>/<slug>.json`; an ETag is a file's revision. */
export function blobStore({ token, prefix, access }: BlobSettings, timeoutMs = requestTimeoutMs): CassetteStore {
  async function listPages(): Promise<StoredFile[]> {
    const files: StoredFile[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < maxPageCount; page += 1) {
      const result = await withTimeout(timeoutMs, (abortSignal) =>
        list({ token, prefix, cursor, limit: 1000, abortSignal }),
      );
      for (const { pathname, etag, size } of result.blobs) {
        const id = idOfPath(pathname.slice(prefix.length));
        if (id) files.push({ id, revision: revisionOf(etag), byteSize: size });
      }
      cursor = result.cursor;
      if (!result.hasMore || !cursor) return files;
    }
    return files;
  }

  return {
    kind: "blob",
    async list() {
      try {
        return await listPages();
      } catch (cause) {
        throw new StoreUnavailableError("Vercel Blob did not list the cassettes", { cause });
      }
    },
    async read(id): Promise<ReadFile | null> {
      try {
        return await withTimeout(timeoutMs, async (abortSignal) => {
          const result = await get(`${prefix}${id}.json`, { token, access, abortSignal });
          if (!result?.stream) return null;
          return { bytes: await readBounded(result.stream), revision: revisionOf(result.blob.etag) };
        });
      } catch (cause) {
        throw new StoreUnavailableError(`Vercel Blob did not give ${id}`, { cause });
      }
    },
  };
}

/** Writes one cassette file to Vercel Blob, replacing what stands there; returns its address. */
export async function pushToBlob({ token, prefix, access }: BlobSettings, id: string, text: string): Promise<string> {
  const { url } = await withTimeout(pushTimeoutMs, (abortSignal) =>
    put(`${prefix}${id}.json`, text, {
      token,
      access,
      addRandomSuffix: false,
      allowOverwrite: true,
      contentType: "application/json",
      cacheControlMaxAge: edgeCacheSeconds,
      abortSignal,
    }),
  );
  return url;
}
