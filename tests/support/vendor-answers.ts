import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { deferred } from "./deferred";

/** One request at a vendor's server. */
export type Visit = {
  request: IncomingMessage;
  response: ServerResponse;
  path: string;
  /** The current version of the file, and when it was published. */
  text: string;
  changedAt: Date;
  /** The version's number, 1 for the first. */
  version: number;
};

/** Responds to a request at a vendor's server. */
export type VendorAnswer = (visit: Visit) => Promise<void> | void;

type FileOptions = { etag?: boolean; lastModified?: boolean; type?: string; headers?: Record<string, string> };

const plainText = "text/plain; charset=utf-8";

/** Responds with the file, or with 304 if a validator matches. */
export function file({ etag = true, lastModified = false, type = plainText, headers }: FileOptions = {}): VendorAnswer {
  return ({ request, response, text, changedAt, version }) => {
    const validators = {
      ...(etag ? { etag: `"v${version}"` } : {}),
      ...(lastModified ? { "last-modified": changedAt.toUTCString() } : {}),
    };
    const known = request.headers["if-none-match"];
    const isKnown =
      known === undefined
        ? lastModified && request.headers["if-modified-since"] === changedAt.toUTCString()
        : etag && known === `"v${version}"`;
    response.writeHead(isKnown ? 304 : 200, {
      ...validators,
      ...(isKnown ? {} : { "content-type": type }),
      ...headers,
    });
    response.end(isKnown ? undefined : text);
  };
}

/** Responds with a status and a body. */
export function status(
  code: number,
  headers: Record<string, string> = {},
  body: string | Uint8Array = `status ${code}\n`,
): VendorAnswer {
  return ({ response }) => {
    response.writeHead(code, { "content-type": plainText, ...headers });
    response.end(code === 304 ? undefined : body);
  };
}

/** Responds with exactly these bytes and status 200. */
export function bytes(body: string | Uint8Array, headers: Record<string, string> = {}): VendorAnswer {
  return status(200, headers, body);
}

/** Gives one response to the first `count` requests, then another. */
export function atFirst(count: number, first: VendorAnswer, then: VendorAnswer = file()): VendorAnswer {
  let visitCount = 0;
  return (visit) => {
    visitCount += 1;
    return visitCount <= count ? first(visit) : then(visit);
  };
}

/** Accepts the request and never responds. */
export const silence: VendorAnswer = () => undefined;

/** Responds after a delay, unless the client has disconnected. */
export function late(delayMs: number, answer: VendorAnswer = file()): VendorAnswer {
  return async (visit) => {
    await wait(delayMs);
    if (!visit.response.destroyed) await answer(visit);
  };
}

/** Responds once `release` resolves. */
export function held(release: Promise<unknown>, answer: VendorAnswer = file()): VendorAnswer {
  return async (visit) => {
    await release;
    if (!visit.response.destroyed) await answer(visit);
  };
}

/** Starts a body and then sends nothing more. */
export const stalled: VendorAnswer = ({ response }) => {
  response.writeHead(200, { "content-type": plainText });
  response.write("# A beginning\n");
};

/** Sends the same chunk until the client disconnects. */
export function endless(piece: Uint8Array, headers: Record<string, string> = {}): VendorAnswer {
  return async ({ response }) => {
    response.writeHead(200, { "content-type": plainText, ...headers });
    const closed = once(response, "close");
    while (!response.destroyed) {
      if (!response.write(piece)) await Promise.race([once(response, "drain"), closed]);
    }
  };
}

/** Responds with a decompression bomb, which is compressed on first use. */
export function bomb(byteSize: number): VendorAnswer {
  let packed: Buffer | undefined;
  return (visit) => {
    packed ??= gzipSync(Buffer.alloc(byteSize));
    return bytes(packed, { "content-encoding": "gzip" })(visit);
  };
}

/** Redirects to another URL. */
export function redirect(location: string, code = 302): VendorAnswer {
  return ({ response }) => {
    response.writeHead(code, { location });
    response.end();
  };
}

/** Redirects back and forth between two URLs. */
export const redirectLoop: VendorAnswer = (visit) =>
  redirect(visit.path === "/llms.txt" ? "/moved" : "/llms.txt")(visit);

/** Redirects `count` times before responding. */
export function redirectChain(count: number, answer: VendorAnswer = file()): VendorAnswer {
  return (visit) => {
    const step = Number(/^\/hop\/(\d+)$/.exec(visit.path)?.[1] ?? 0);
    return step < count ? redirect(`/hop/${step + 1}`, 301)(visit) : answer(visit);
  };
}

/** Announces a complete body and closes the connection in the middle of it. */
export const cutInBody: VendorAnswer = ({ response, text }) => {
  response.writeHead(200, { "content-type": plainText, "content-length": Buffer.byteLength(text) });
  response.write(text.slice(0, text.length / 2), () => response.destroy());
};

/** Closes the connection without a response. */
export const cutAtOnce: VendorAnswer = ({ response }) => {
  response.destroy();
};

/** Page of a web application that responds to every path with 200. */
export const htmlPage = `<!doctype html>
<html lang="en"><head><title>Not found</title><script src="/app.js"></script></head>
<body><div id="root"></div></body></html>
`;

/** Holds every request until `open` is called; `arrived` resolves with the first request. */
export function gate(answer: VendorAnswer = file()): {
  answer: VendorAnswer;
  arrived: Promise<void>;
  open: () => void;
} {
  const arrived = deferred();
  const opened = deferred();
  const waiting: VendorAnswer = (visit) => {
    arrived.resolve();
    return held(opened.promise, answer)(visit);
  };
  return { answer: waiting, arrived: arrived.promise, open: opened.resolve };
}
