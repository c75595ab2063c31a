import { secondMs } from "#lib/platform/time";
import type { Provider } from "#lib/replay/providers/index";

/** An error that a test asks for in place of an answer. */
export type AskedError = {
  /** 400 to 599. */
  status: number;
  retryAfterS?: number | undefined;
  /** The provider's own code, such as `insufficient_quota`. Default: that of the status. */
  code?: string | undefined;
  message?: string | undefined;
};

export type SimulatedError = { status: number; headers: Record<string, string>; body: string };

/**
 * Returns an error in a provider's format, with the headers that retry code reads: when to ask again, and for 429 the limits
 * that were reached. `asker` is what asks for it: a request or a test.
 */
export function simulateError(
  provider: Provider,
  { status, retryAfterS, code, message }: AskedError,
  { asker, requestId, nowMs = Date.now() }: { asker: "request" | "test"; requestId: string; nowMs?: number },
): SimulatedError {
  const text = message ?? `Tapedeck sends this ${status}, because the ${asker} asks for it.`;
  const resetAt = new Date(nowMs + (retryAfterS ?? 0) * secondMs);
  return {
    status,
    headers: {
      "content-type": "application/json",
      // Every response of the server has X-Request-Id, the id in its log.
      ...(provider.requestIdHeader === "x-request-id" ? {} : { [provider.requestIdHeader]: requestId }),
      ...(status === 429 ? provider.limitHeaders(resetAt) : {}),
      ...(retryAfterS === undefined ? {} : { "retry-after": String(retryAfterS) }),
    },
    body: JSON.stringify(provider.errorBody({ status, message: text, requestId, code, retryAfterS })),
  };
}
