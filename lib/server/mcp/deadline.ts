import { TimeoutError, withTimeout } from "#lib/platform/with-timeout";
import { type ClientMessage, jsonRpcError } from "./messages";

/** Longest time for one request, in milliseconds; event streams are not requests in this sense. */
export const requestTimeoutMs = 30_000;

/** The answer, or after the time is up a JSON-RPC error and the end of the work. */
export async function withinDeadline(
  message: ClientMessage,
  answer: (signal: AbortSignal) => Promise<Response>,
  timeoutMs = requestTimeoutMs,
): Promise<Response> {
  try {
    return await withTimeout(timeoutMs, answer);
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
    const text = `The request took longer than ${timeoutMs / 1000} seconds and was cancelled. Ask for less, or try again.`;
    return Response.json(jsonRpcError(-32603, text, message.id ?? null));
  }
}
