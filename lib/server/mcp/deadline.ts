import { type ClientMessage, jsonRpcError } from "./messages";

/** Longest time for one request, in milliseconds; event streams are not requests in this sense. */
export const requestTimeoutMs = 30_000;

/** The answer, or after the time is up a JSON-RPC error and the end of the work. */
export async function withinDeadline(
  message: ClientMessage,
  answer: (signal: AbortSignal) => Promise<Response>,
  timeoutMs = requestTimeoutMs,
): Promise<Response> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Response>((resolve) => {
    timer = setTimeout(() => {
      const text = `The request took longer than ${timeoutMs / 1000} seconds and was ended. Ask for less, or try again.`;
      resolve(Response.json(jsonRpcError(-32603, text, message.id ?? null)));
      controller.abort();
    }, timeoutMs);
  });
  try {
    return await Promise.race([answer(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
