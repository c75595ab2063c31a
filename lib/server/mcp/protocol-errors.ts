import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { AppError, internalErrorMessage } from "#lib/platform/errors";
import type { Log } from "#lib/platform/log";
import { logFailure } from "#lib/platform/log-failure";

/** Returns what a client may know of an error. Logs those that are not the client's mistake. */
export function toClientError(error: unknown, log: Log, fields: Record<string, string>): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const isCallersMistake = error instanceof AppError && error.status < 500;
  if (isCallersMistake) return new ProtocolError(ProtocolErrorCode.InvalidRequest, error.message);
  logFailure(log, error, fields, "MCP request failed");
  const message = error instanceof AppError ? error.message : internalErrorMessage;
  return new ProtocolError(ProtocolErrorCode.InternalError, message);
}

/** Returns the handler for the SDK, which sends the message of any error that a handler throws to the client. */
export function withClientErrors<Input extends unknown[], Output>(
  { log }: { log: Log },
  method: string,
  handle: (...input: Input) => Output | Promise<Output>,
): (...input: Input) => Promise<Output> {
  return async (...input) => {
    try {
      return await handle(...input);
    } catch (error) {
      throw toClientError(error, log, { method });
    }
  };
}
