import { config } from "#lib/platform/config";
import { checkUrl } from "./address-rule";
import { startHopLimits, startSystemTimer, unlessAborted } from "./hop-limits";
import type { OutboundOptions } from "./options";
import { resolveAddresses, systemResolve } from "./resolve-addresses";

type CheckOptions = Pick<OutboundOptions, "allowedHosts" | "resolve" | "startTimer" | "signal"> & {
  /** Maximum time for the DNS lookup. Default: 5 s. */
  timeoutMs?: number;
};

/**
 * Checks a URL and resolves its name once, without connecting, to reject a bad URL when it is entered. The name may
 * resolve to a private address later, so guardedFetch checks again. Throws OutboundError.
 */
export async function checkPublicUrl(text: string, options: CheckOptions = {}): Promise<URL> {
  const { allowedHosts = config().OUTBOUND_ALLOWED_HOSTS, resolve = systemResolve } = options;
  const { timeoutMs = 5_000, startTimer = startSystemTimer, signal } = options;
  const url = checkUrl(text, allowedHosts);
  const times = { headersTimeoutMs: timeoutMs, totalTimeoutMs: timeoutMs };
  const limits = startHopLimits({ host: url.host, ...times, signal, startTimer });
  try {
    await unlessAborted(limits.signal, () => resolveAddresses(url, { resolve, allowedHosts }));
    return url;
  } finally {
    limits.release();
  }
}
