import { systemClock } from "#lib/platform/clock";
import { config } from "#lib/platform/config";
import { parseUrl } from "#lib/platform/parse-url";
import { startSystemTimer } from "#lib/platform/timer";
import { checkUrl, resolveAddresses, systemResolve } from "./address-rules";
import { startHopLimits, unlessAborted } from "./hop-limits";
import type { OutboundAnswer, OutboundOptions } from "./options";
import { explainFailure, OutboundError } from "./outbound-error";
import { readBody } from "./read-body";
import { type HopRequest, type HopResponse, sendHop } from "./send-hop";

/** Bounds of a request and its redirects, unless its options say otherwise. */
export const outboundBounds = {
  headersTimeoutMs: 10_000,
  totalTimeoutMs: 30_000,
  maxBodyByteSize: 10 * 1024 * 1024,
  maxRedirects: 5,
} as const;

function settingsOf(options: OutboundOptions) {
  const {
    headersTimeoutMs = outboundBounds.headersTimeoutMs,
    totalTimeoutMs = outboundBounds.totalTimeoutMs,
    deadlineMs = Number.POSITIVE_INFINITY,
    maxBodyByteSize = outboundBounds.maxBodyByteSize,
    overflow = "fail",
    wantsBody = () => true,
    maxRedirects = outboundBounds.maxRedirects,
    allowedHosts = config().OUTBOUND_ALLOWED_HOSTS,
    resolve = systemResolve,
    clock = systemClock,
    startTimer = startSystemTimer,
    aroundHop = (_url, send) => send(),
    signal,
    connections,
  } = options;
  const hop = { headersTimeoutMs, totalTimeoutMs, deadlineMs, signal, clock, startTimer, connections };
  return { ...hop, maxBodyByteSize, overflow, wantsBody, maxRedirects, allowedHosts, resolve, aroundHop };
}

type Settings = ReturnType<typeof settingsOf>;
type HopResult = { status: number; headers: Record<string, string>; body: Uint8Array };

const emptyBody = new Uint8Array();

async function readResponse(
  { status, headers, body }: HopResponse,
  { host }: URL,
  settings: Settings,
): Promise<HopResult> {
  const { maxBodyByteSize: maxByteSize, overflow, wantsBody, maxRedirects } = settings;
  const isFollowed = maxRedirects > 0 && isRedirect({ status, headers });
  if (isFollowed || !wantsBody(status)) return { status, headers, body: emptyBody };
  if (overflow === "fail" && Number(headers["content-length"]) > maxByteSize) {
    throw new OutboundError("too_large", `the response of ${host} is larger than ${maxByteSize} bytes`);
  }
  const encoding = headers["content-encoding"];
  return { status, headers, body: await readBody(body, { host, encoding, maxByteSize, overflow }) };
}

/** Sends guarded requests, following redirects. */
class RedirectChain {
  requestCount = 0;
  spentMs = 0;
  readonly #settings: Settings;
  readonly #seen = new Set<string>();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  async follow(start: PlannedRequest): Promise<HopResult & { url: string }> {
    const { maxRedirects, allowedHosts, aroundHop } = this.#settings;
    let planned = start;
    for (let redirectCount = 0; ; redirectCount += 1) {
      const request = { ...planned, url: checkUrl(planned.url, allowedHosts) };
      this.#refuseLoop(request);
      const result = await aroundHop(request.url, () => this.#send(request));
      if (maxRedirects === 0 || !isRedirect(result)) return { ...result, url: request.url.href };
      if (redirectCount === maxRedirects) {
        throw new OutboundError("too_many_redirects", `${request.url.host} redirects more than ${maxRedirects} times`);
      }
      planned = followRedirect(request, result);
    }
  }

  #refuseLoop({ method, url }: HopRequest): void {
    const step = `${method} ${url.href}`;
    if (this.#seen.has(step)) throw new OutboundError("redirect_loop", `${url.host} redirects in a loop`);
    this.#seen.add(step);
  }

  async #send(request: HopRequest): Promise<HopResult> {
    const { clock, deadlineMs, totalTimeoutMs, ...settings } = this.#settings;
    const { host } = request.url;
    const startedAtMs = clock.monotonicMs();
    const leftMs = Math.min(totalTimeoutMs - this.spentMs, deadlineMs - startedAtMs);
    if (leftMs <= 0) throw new OutboundError("timeout", `no time was left to request ${host}`);
    const limits = startHopLimits({ ...settings, host, totalTimeoutMs: leftMs });
    let response: HopResponse | undefined;
    try {
      const addresses = await unlessAborted(limits.signal, () => resolveAddresses(request.url, settings));
      this.requestCount += 1;
      response = await sendHop(request, addresses, { signal: limits.signal, connections: settings.connections });
      limits.headersArrived();
      return await readResponse(response, request.url, this.#settings);
    } catch (error) {
      throw explainFailure(limits.signal.aborted ? limits.signal.reason : error, host);
    } finally {
      limits.release();
      this.spentMs += clock.monotonicMs() - startedAtMs;
      await response?.release();
    }
  }
}

/**
 * Requests a URL given by a user or vendor; no other function may. Every hop is checked: the URL, then every address that
 * its name resolves to, and the connection goes to a checked address. Times and sizes are limited. Throws
 * OutboundError, and what `aroundHop` throws.
 */
export async function guardedFetch(url: string | URL, options: OutboundOptions = {}): Promise<OutboundAnswer> {
  const { method = "GET", headers = {}, body } = options;
  const chain = new RedirectChain(settingsOf(options));
  try {
    const { status, ...rest } = await chain.follow({ url: String(url), method, headers, body });
    return { status, ...rest, requestCount: chain.requestCount, responseTimeMs: chain.spentMs };
  } catch (error) {
    if (error instanceof OutboundError) error.requestCount = chain.requestCount;
    throw error;
  }
}

/** A request before its URL is checked. */
type PlannedRequest = Omit<HopRequest, "url"> & { url: string };

const redirectStatuses = [301, 302, 303, 307, 308];

/** Headers that are sent to another origin. Others may contain secrets. */
const safeHeaders = new Set([
  ...["accept", "accept-language", "content-type", "user-agent"],
  ...["if-none-match", "if-modified-since"],
]);

/** Whether a response is a redirect. */
function isRedirect({ status, headers }: { status: number; headers: Record<string, string> }): boolean {
  return redirectStatuses.includes(status) && headers.location !== undefined;
}

/** Returns the target of a redirect without its fragment. It is not checked and may not be a valid URL. */
function targetOf(location: string, from: URL): string {
  const target = parseUrl(location, from);
  if (!target) return location;
  target.hash = "";
  return target.href;
}

/** Returns the request that follows a redirect. Another origin gets only safe headers; as in browsers, POST becomes GET. */
function followRedirect(
  { url, method, headers, body }: HopRequest,
  { status, headers: responseHeaders }: { status: number; headers: Record<string, string> },
): PlannedRequest {
  const target = targetOf(responseHeaders.location ?? "", url);
  const isSameOrigin = parseUrl(target)?.origin === url.origin;
  const keepsBody = status === 307 || status === 308 || method === "GET";
  const keptHeaders = Object.entries(headers).filter(([name]) => {
    if (!keepsBody && /^content-/i.test(name)) return false;
    return isSameOrigin || safeHeaders.has(name.toLowerCase());
  });
  return {
    url: target,
    method: keepsBody ? method : "GET",
    headers: Object.fromEntries(keptHeaders),
    body: keepsBody ? body : undefined,
  };
}

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
