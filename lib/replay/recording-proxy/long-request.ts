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

/** Passes a request that is too large to be kept on, unrecorded; in mode `replay`, it is refused. Throws UpstreamError. */
export async function answerLong(
  { body, ...incoming }: LongRequest,
  request: IncomingMessage,
  response: ServerResponse,
  { mode, report }: { mode: Mode; report: SessionReport },
): Promise<void> {
  const { method = "GET" } = request;
  const place = `${method} ${incoming.path}`;
  report.requests += 1;
  if (mode === "replay") {
    report.notes.push(`${place} was refused with 413: the request is larger than 32 MiB.`);
    // A client that is still sending would not read the answer.
    await finished(body.resume());
    return sendError(
      response,
      providerAt(incoming.upstream, { ...incoming, method }),
      413,
      "The request is larger than 32 MiB.",
    );
  }
  if (mode === "live") report.passedThrough += 1;
  else {
    report.notes.push(`The answer to ${place} was not stored: the request is larger than 32 MiB.`);
    report.unwritten += 1;
  }
  return passThrough({ ...addressOf(incoming), body }, request, response);
}
