import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { addressOf, type Incoming } from "./call";
import type { Mode } from "./config";
import { passThrough } from "./forward";
import { sendError } from "./proxy-faults";
import type { SessionReport } from "./report";
import { providerAt } from "./upstreams";

/** A request with a body that is too large to be kept, as a stream. */
export type LongRequest = Omit<Incoming, "body"> & { body: Readable };

/**
 * Passes a request that is too large to be kept on, unrecorded; in mode `replay`, it is refused. `signal` ends it. Throws
 * UpstreamError.
 */
export async function answerLong(
  { body, ...incoming }: LongRequest,
  request: IncomingMessage,
  response: ServerResponse,
  { mode, report, signal }: { mode: Mode; report: SessionReport; signal: AbortSignal },
): Promise<void> {
  const { method = "GET" } = request;
  const place = `${method} ${incoming.path}`;
  report.requests += 1;
  if (mode === "replay") {
    const reason = "The request is larger than 32 MiB";
    const { test } = report;
    report.misses.push({ test, request: place, host: incoming.upstream.host, reason, nearest: null });
    // A client that is still sending would not read the answer.
    await finished(body.resume(), { signal }).catch(() => undefined);
    return sendError(response, providerAt(incoming.upstream, { ...incoming, method }), 413, `${reason}.`);
  }
  if (mode === "live") report.passedThrough += 1;
  else {
    report.notes.push(`The answer to ${place} was not stored: the request is larger than 32 MiB.`);
    report.unwritten += 1;
  }
  return passThrough({ ...addressOf(incoming), body, signal }, request, response);
}
