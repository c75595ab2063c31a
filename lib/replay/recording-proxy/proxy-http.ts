import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { defaultTest } from "./config";
import { maxBodyByteSize } from "./decode-request";

/** A request below the URL of a test. */
type Route = { test: string; segments: string[]; query: string };

/** Returns the parts of a request's URL; null if the name of the test is not encoded correctly. */
export function parseRoute(url: string): Route | null {
  const [path = "", query = ""] = url.split(/\?(.*)/s);
  const segments = path.split("/").slice(1);
  const [first, second, ...rest] = segments;
  if (first !== "t" || second === undefined) return { test: defaultTest, segments, query };
  try {
    return { test: decodeURIComponent(second), segments: rest, query };
  } catch {
    return null;
  }
}

function readsOf(request: IncomingMessage): AsyncIterable<Buffer> {
  return request.iterator({ destroyOnReturn: false });
}

async function* joinReads(pieces: Buffer[], request: IncomingMessage) {
  yield* pieces;
  yield* readsOf(request);
}

/** Reads the body of a request; as a stream if it is too large to be kept. */
export async function readBody(request: IncomingMessage): Promise<Uint8Array | Readable> {
  const pieces: Buffer[] = [];
  let byteSize = 0;
  for await (const piece of readsOf(request)) {
    byteSize += piece.length;
    pieces.push(piece);
    // A client that leaves closes the response, too.
    if (byteSize > maxBodyByteSize) return Readable.from(joinReads(pieces, request)).on("error", () => undefined);
  }
  return Buffer.concat(pieces);
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
