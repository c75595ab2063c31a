import { AppError } from "#lib/platform/errors";
import { withTimeout } from "#lib/platform/with-timeout";
import { type PaymentTimes, paymentTimes } from "./payments";

type ProviderFailure = { type?: unknown; code?: unknown; statusCode?: unknown; requestId?: unknown; message?: unknown };

/** What the log may know of a failure: the provider's own error carries headers and bodies. */
function describeFailure(thrown: unknown): Error {
  const { type, code, statusCode, requestId, message } = (thrown ?? {}) as ProviderFailure;
  const facts = Object.entries({ type, code, statusCode, requestId }).filter(([, value]) => value !== undefined);
  const text = facts.map(([name, value]) => `${name} ${value}`).join(", ");
  return new Error(`The payment provider failed: ${message} (${text || "no answer"})`);
}

function refusal(thrown: unknown): AppError {
  const message =
    "The payment provider did not answer as it should. Nothing was charged by this; try again in a minute.";
  return new AppError("internal_error", message, { cause: describeFailure(thrown) });
}

/**
 * Makes one call to the payment provider, which has retries of its own: they can add up, and an answer can trickle, so
 * the whole has a bound too. Throws AppError internal_error.
 */
export async function askProvider<T>(
  call: () => Promise<T>,
  { callTimeoutMs }: Pick<PaymentTimes, "callTimeoutMs"> = paymentTimes,
): Promise<T> {
  try {
    return await withTimeout(callTimeoutMs, call);
  } catch (thrown) {
    throw refusal(thrown);
  }
}

const isMissing = (thrown: unknown) => (thrown as ProviderFailure | null)?.code === "resource_missing";

/** The same for something that the provider may not have: null then. */
export async function findAtProvider<T>(call: () => Promise<T>): Promise<T | null> {
  return askProvider(async () => {
    try {
      return await call();
    } catch (thrown) {
      if (isMissing(thrown)) return null;
      throw thrown;
    }
  });
}
