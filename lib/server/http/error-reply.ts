import { randomUUID } from "node:crypto";
import type { ZodError } from "zod";
import type { ErrorShape } from "#lib/contract/endpoint";
import { requirementOf } from "#lib/platform/describe-issue";
import { AppError, internalErrorMessage } from "#lib/platform/errors";
import { type Log, log } from "#lib/platform/log";
import { logFailure } from "#lib/platform/log-failure";
import { observer } from "#lib/platform/observer";
import { providersOf, requireProvider } from "#lib/replay/providers/index";
import { commonHeaders } from "./common-headers";
import { jsonReply, type Reply } from "./reply";

function errorBody({ code, status, message }: AppError, shape: ErrorShape, requestId: string): unknown {
  if (shape === "tapedeck") return { error: message, code, status };
  return requireProvider(shape).errorBody({ status, message, requestId });
}

/** Returns the format of errors at a path: that of the provider whose path it is or could be, else Tapedeck's. */
export function errorShapeOf(path: string, header: (name: string) => string | null): ErrorShape {
  const [found] = providersOf({ method: "POST", path });
  if (found) return found.provider.name as ErrorShape;
  if (/^\/v1beta(?:\/|$)/.test(path)) return "gemini";
  if (!/^\/v1(?:\/|$)/.test(path)) return "tapedeck";
  return header("anthropic-version") === null ? "openai-chat" : "anthropic";
}

/** Returns a thrown value as an AppError. Unexpected ones become internal_error with a fixed message. */
function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  return new AppError("internal_error", internalErrorMessage, { cause: thrown });
}

const challenge = { "WWW-Authenticate": "Bearer" };

/** Whether the log gets an error: failures of the server, but not its refusals beyond a bound, which could flood the log. */
function isFailure({ status, code, cause }: AppError): boolean {
  return status >= 500 && (code !== "service_unavailable" || cause !== undefined);
}

/** Returns the reply for a thrown value, and logs failures of the server. */
export function errorReply(thrown: unknown, shape: ErrorShape, requestId: string, logger: Log): Reply {
  const error = toAppError(thrown);
  if (isFailure(error)) logFailure(logger, thrown, { requestId, code: error.code }, "request failed");
  const headers = { "Cache-Control": "no-store", ...(error.status === 401 ? challenge : {}), ...error.headers };
  return jsonReply(errorBody(error, shape, requestId), error.status, headers);
}

/** Returns a validation error as one sentence that names the field and what to change. */
export function validationMessage(error: ZodError, where: string): string {
  const [issue] = error.issues;
  const path = issue?.path.join(".");
  const requirement = issue ? requirementOf(issue) : "is not valid";
  return path ? `${where} "${path}": ${requirement}` : `${where}: ${requirement}`;
}

/** Returns the reply to a request that no endpoint accepts, with its own request id. */
export function refuse(error: AppError, shape: ErrorShape = "tapedeck"): Reply {
  const requestId = randomUUID();
  observer()?.answered("none", "any", error.status, 0);
  const reply = errorReply(error, shape, requestId, log());
  return { ...reply, headers: { ...reply.headers, ...commonHeaders({ auth: "none" }, requestId) } };
}
