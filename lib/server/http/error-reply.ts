import { randomUUID } from "node:crypto";
import type { ZodError } from "zod";
import type { ErrorShape } from "#lib/contract/endpoint";
import { AppError, type ErrorCode, internalErrorMessage } from "#lib/platform/errors";
import { type Log, log } from "#lib/platform/log";
import { logFailure } from "#lib/platform/log-failure";
import { commonHeaders } from "./common-headers";
import { jsonReply, type Reply } from "./reply";

const anthropicTypes: Record<ErrorCode, string> = {
  bad_request: "invalid_request_error",
  invalid_cursor: "invalid_request_error",
  unauthorized: "authentication_error",
  forbidden: "permission_error",
  not_found: "not_found_error",
  method_not_allowed: "invalid_request_error",
  conflict: "invalid_request_error",
  payload_too_large: "request_too_large",
  rate_limited: "rate_limit_error",
  internal_error: "api_error",
  service_unavailable: "overloaded_error",
};

function errorBody(error: AppError, shape: ErrorShape, requestId: string): unknown {
  if (shape === "tapedeck") return { error: error.message, code: error.code, status: error.status };
  return { type: "error", error: { type: anthropicTypes[error.code], message: error.message }, request_id: requestId };
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
  return path ? `${where} "${path}": ${issue?.message}` : `${where}: ${issue?.message ?? "is not valid"}`;
}

/** Returns the reply to a request that no endpoint accepts, with its own request id. */
export function refuse(error: AppError, shape: ErrorShape = "tapedeck"): Reply {
  const requestId = randomUUID();
  const reply = errorReply(error, shape, requestId, log());
  return { ...reply, headers: { ...reply.headers, ...commonHeaders({ auth: "none" }, requestId) } };
}
