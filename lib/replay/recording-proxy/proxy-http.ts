import type { IncomingMessage, ServerResponse } from "node:http";
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

/** Reads the body of a request; null if it is too large. */
export async function readBody(request: IncomingMessage): Promise<Uint8Array | null> {
  const pieces: Buffer[] = [];
  let byteSize = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    byteSize += piece.length;
    if (byteSize > maxBodyByteSize) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
