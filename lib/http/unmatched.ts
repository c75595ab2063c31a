import { randomUUID } from "node:crypto";
import { AppError } from "#lib/platform/errors";
import { log } from "#lib/platform/log";
import { commonHeaders } from "./dispatch";
import { errorReply } from "./error-reply";
import { toResponse } from "./to-response";

/** The JSON 404 of every path under /api that nothing else answers. */
export async function unmatched(request: Request): Promise<Response> {
  const requestId = randomUUID();
  const error = new AppError("not_found", "There is no such endpoint. GET /openapi.json lists them all.");
  const reply = errorReply(error, "tapedeck", requestId, log());
  const headers = { ...reply.headers, ...commonHeaders({ auth: "none" }, requestId) };
  return toResponse({ ...reply, headers }, request.method === "HEAD");
}
