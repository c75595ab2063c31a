import { AppError } from "#lib/platform/errors";
import { refuse } from "./refuse";
import { toResponse } from "./to-response";

/** The JSON 404 of every path under /api that nothing else answers. */
export async function unmatched(request: Request): Promise<Response> {
  const error = new AppError("not_found", "There is no such endpoint. GET /openapi.json lists them all.");
  return toResponse(refuse(error), request.method === "HEAD");
}
