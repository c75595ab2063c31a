import { withTimeout } from "#lib/platform/with-timeout";
import {
  type CassetteStore,
  idOfPath,
  placeOf,
  type ReadFile,
  type StoredFile,
  StoreUnavailableError,
} from "./cassette-store";

export type BlobSettings = {
  token: string;
  /** Path prefix of `<folder>/<slug>.json`, such as `cassettes/`. */
  prefix: string;
  /** Access mode with which the Blob store was created. */
  access: "public" | "private";
};

/** Timeout of one call to Vercel Blob, including its retries, in milliseconds. */
const requestTimeoutMs = 10_000;
/** Timeout of an upload, in milliseconds: 64 MiB at about 4 Mbit/s. */
const pushTimeoutMs = 120_000;
/** Most pages of 1,000 files in a listing. */
const maxPageCount = 20;
/** How long Vercel's edge may cache a pushed cassette, in seconds: the shortest time it allows. */
const edgeCacheSeconds = 60;

/** Loads Vercel's client at the first call: with its own undici it is half of the code of a short command. */
const blobClient = () => import("@vercel/blob");

async function readBounded(stream: ReadableStream<Uint8Array>, maxByteSize: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let byteSize = 0;
  for await (const part of stream) {
    parts.push(part);
    byteSize += part.byteLength;
    if (byteSize > maxByteSize) break;
  }
  return Buffer.concat(parts);
}

/** Returns an ETag without the quotes and the weak prefix, which differ between the API and the compressing edge. */
function revisionOf(etag: string): string {
  return etag.replace(/^W\//, "").replaceAll('"', "");
}

/** A store of blobs `<prefix><folder>/<slug>.json`; the ETag is the revision. */
export function blobStore({ token, prefix, access }: BlobSettings, timeoutMs = requestTimeoutMs): CassetteStore {
  async function listPages(): Promise<StoredFile[]> {
    const { list } = await blobClient();
    const files: StoredFile[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < maxPageCount; page += 1) {
      const result = await withTimeout(timeoutMs, ({ signal: abortSignal }) =>
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

  async function read(id: string): Promise<ReadFile | null> {
    const { path, maxByteSize } = placeOf(id);
    try {
      const { get } = await blobClient();
      return await withTimeout(timeoutMs, async ({ signal: abortSignal }) => {
        const result = await get(`${prefix}${path}`, { token, access, abortSignal });
        if (!result?.stream) return null;
        return { bytes: await readBounded(result.stream, maxByteSize), revision: revisionOf(result.blob.etag) };
      });
    } catch (cause) {
      throw new StoreUnavailableError(`could not read ${path} from Vercel Blob`, { cause });
    }
  }

  return {
    kind: "blob",
    async list() {
      try {
        return await listPages();
      } catch (cause) {
        throw new StoreUnavailableError("could not list the cassettes in Vercel Blob", { cause });
      }
    },
    read,
  };
}

/** Uploads a file to Vercel Blob, replacing an existing one; returns its URL. */
export async function pushToBlob({ token, prefix, access }: BlobSettings, path: string, text: string): Promise<string> {
  const { put } = await blobClient();
  const { url } = await withTimeout(pushTimeoutMs, ({ signal: abortSignal }) =>
    put(`${prefix}${path}`, text, {
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
