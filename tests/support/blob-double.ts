import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import type { BlobSettings } from "#lib/replay/cassettes/stores/blob-store";
import { LoopbackServer, readBody, sendJson } from "./loopback-server";
import { redirectBlob } from "./redirect-blob.mjs";

/** Token of the double's store in the format of a real one: the fourth part is the store's id. */
export const blobToken = "vercel_blob_rw_testStore_0123456789abcdef";
/** The store of the tests: public, below `cassettes/`. */
export const blobSettings: BlobSettings = { token: blobToken, prefix: "cassettes/", access: "public" };
/** URLs have a lower-case host, whatever the case in the token. */
const storeHost = (access: string) => `teststore.${access}.blob.vercel-storage.com`;

type Stored = { bytes: Buffer; etag: string; contentType: string; cacheControl: string; uploadedAt: string };
export type BlobRequest = { method: string; kind: "list" | "head" | "put" | "delete" | "get"; pathname: string };

/** Behaviour of the double: normal, responding with 503, or never responding. */
export type BlobMode = "fine" | "down" | "slow";

/**
 * A double of Vercel Blob's HTTP API (version 12, as used by @vercel/blob 2.8): the API below `/api`, and the store's
 * content host below `/content/<host>/`, to which `redirect-blob.mjs` redirects its requests.
 */
export class BlobDouble extends LoopbackServer {
  readonly requests: BlobRequest[] = [];
  mode: BlobMode = "fine";
  /** Most blobs on a page of a listing, whatever the requested limit. */
  pageSize = 1000;
  readonly #blobs = new Map<string, Stored>();

  /** Stores a blob directly. */
  set(pathname: string, content: string | Uint8Array, contentType = "application/json"): void {
    const bytes = Buffer.from(content as Uint8Array);
    const etag = `"${createHash("md5").update(bytes).digest("hex")}"`;
    const uploadedAt = new Date(0).toISOString();
    this.#blobs.set(pathname, { bytes, etag, contentType, cacheControl: "public, max-age=60", uploadedAt });
  }

  contentOf(pathname: string): string | undefined {
    return this.#blobs.get(pathname)?.bytes.toString("utf8");
  }

  remove(pathname: string): void {
    this.#blobs.delete(pathname);
  }

  count(kind: BlobRequest["kind"]): number {
    return this.requests.filter((request) => request.kind === kind).length;
  }

  protected async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.origin);
    const body = await readBody(request);
    const isContent = url.pathname.startsWith("/content/");
    const note = (kind: BlobRequest["kind"], pathname = "") =>
      this.requests.push({ method: request.method ?? "", kind, pathname });
    if (isContent) return this.#serveContent(request, response, url, note);
    if (this.mode === "slow") return void note("list");
    const refusal = this.#refuse(request);
    if (refusal) return sendError(response, ...refusal);
    const pathname = url.searchParams.get("pathname") ?? "";
    const address = url.searchParams.get("url");
    if (url.pathname === "/api/delete") {
      note("delete");
      return this.#delete(response, body);
    }
    if (request.method === "PUT") {
      note("put", pathname);
      return this.#put(request, response, pathname, body);
    }
    if (address !== null) {
      note("head", address);
      return this.#head(response, address);
    }
    note("list");
    this.#list(response, url.searchParams);
  }

  #refuse({ headers }: IncomingMessage): [number, string, string] | undefined {
    if (headers.authorization !== `Bearer ${blobToken}`) return [403, "forbidden", "Access denied"];
    if (headers["x-api-version"] !== "12") return [400, "bad_request", "Unknown API version"];
    if (this.mode === "down") return [503, "service_unavailable", "The service is not available"];
    return undefined;
  }

  #describe(pathname: string, { bytes, etag, contentType, cacheControl, uploadedAt }: Stored, access = "public") {
    const url = `https://${storeHost(access)}/${pathname}`;
    const contentDisposition = `attachment; filename="${pathname.split("/").at(-1)}"`;
    const described = { downloadUrl: `${url}?download=1`, pathname, size: bytes.length, etag, contentType };
    return { url, ...described, contentDisposition, cacheControl, uploadedAt };
  }

  #list(response: ServerResponse, parameters: URLSearchParams): void {
    const prefix = parameters.get("prefix") ?? "";
    const limit = Math.min(Number(parameters.get("limit") ?? 1000), this.pageSize);
    const cursor = parameters.get("cursor");
    const names = [...this.#blobs.keys()].filter((name) => name.startsWith(prefix)).sort();
    const rest = cursor === null ? names : names.filter((name) => name > Buffer.from(cursor, "base64").toString());
    const page = rest.slice(0, limit);
    const hasMore = rest.length > page.length;
    const blobs = page.map((name) => this.#describe(name, this.#blobs.get(name) as Stored));
    const next = hasMore ? Buffer.from(page.at(-1) ?? "").toString("base64") : undefined;
    sendJson(response, 200, { blobs, cursor: next, hasMore });
  }

  #head(response: ServerResponse, address: string): void {
    const pathname = URL.canParse(address) ? new URL(address).pathname.slice(1) : address;
    const stored = this.#blobs.get(pathname);
    if (stored) sendJson(response, 200, this.#describe(pathname, stored));
    else sendError(response, 404, "not_found", "The requested blob does not exist");
  }

  #put({ headers }: IncomingMessage, response: ServerResponse, wanted: string, bytes: Buffer): void {
    if (this.#blobs.has(wanted) && headers["x-allow-overwrite"] !== "1") {
      return sendError(response, 400, "bad_request", "This blob already exists, use `allowOverwrite: true`");
    }
    const suffix = headers["x-add-random-suffix"] === "1" ? `-${randomBytes(8).toString("hex")}` : "";
    const pathname = wanted.replace(/(\.[^.]*)?$/, (ending) => `${suffix}${ending}`);
    this.set(pathname, bytes, String(headers["x-content-type"] ?? "application/octet-stream"));
    sendJson(
      response,
      200,
      this.#describe(pathname, this.#blobs.get(pathname) as Stored, String(headers["x-vercel-blob-access"])),
    );
  }

  #delete(response: ServerResponse, body: Buffer): void {
    const { urls } = JSON.parse(String(body)) as { urls: string[] };
    for (const url of urls) this.remove(URL.canParse(url) ? new URL(url).pathname.slice(1) : url);
    sendJson(response, 200, null);
  }

  /** The content host, whose compressing edge makes ETags weak. */
  #serveContent(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    note: (kind: "get", pathname: string) => void,
  ): void {
    const [, , host = "", ...path] = url.pathname.split("/");
    const pathname = decodeURIComponent(path.join("/"));
    note("get", pathname);
    if (this.mode === "slow") return;
    if (this.mode === "down") return void response.writeHead(503).end("Service Unavailable");
    const isPrivate = host === storeHost("private");
    if (isPrivate && request.headers.authorization !== `Bearer ${blobToken}`) return void response.writeHead(403).end();
    const stored = this.#blobs.get(pathname);
    if (!stored || (!isPrivate && host !== storeHost("public"))) return void response.writeHead(404).end("Not Found");
    const etag = `W/${stored.etag}`;
    const headers = { etag, "cache-control": stored.cacheControl, "last-modified": new Date(0).toUTCString() };
    if (request.headers["if-none-match"] === etag) return void response.writeHead(304, headers).end();
    response.writeHead(200, { ...headers, "content-type": stored.contentType, "content-length": stored.bytes.length });
    response.end(stored.bytes);
  }
}

function sendError(response: ServerResponse, status: number, code: string, message: string): void {
  sendJson(response, status, { error: { code, message } });
}

/** Starts a double for a test, which all requests for Vercel Blob go to. */
export async function startBlobDouble(): Promise<BlobDouble> {
  const double = await new BlobDouble().start();
  onTestFinished(redirectBlob(double.origin));
  return double;
}
