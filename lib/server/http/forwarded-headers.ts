import type { Config } from "#lib/platform/config";
import { parseUrl } from "#lib/platform/parse-url";
import type { RequestView } from "./request-view";

type ProxySettings = Pick<Config, "TRUST_PROXY" | "VERCEL">;

/** Whether `X-Forwarded-*` headers are trusted: as TRUST_PROXY says; without it, only on Vercel. */
export function trustsProxy({ TRUST_PROXY, VERCEL }: ProxySettings): boolean {
  return TRUST_PROXY ? TRUST_PROXY === "on" : Boolean(VERCEL);
}

const withPort = /^(?:\[(?<v6>[^\]]+)\](?::\d+)?|(?<v4>\d+\.\d+\.\d+\.\d+):\d+)$/;

/**
 * Returns the client's address from `X-Forwarded-For`; null without one. Each proxy appends the address it saw, so only
 * the last entry comes from the nearest proxy: earlier ones may be forged by the client.
 */
export function lastForwardedFor(value: string | null): string | null {
  const last = value?.split(",").at(-1)?.trim();
  if (!last) return null;
  const { v4, v6 } = withPort.exec(last)?.groups ?? {};
  return v4 ?? v6 ?? last;
}

/**
 * Returns the client's address; null if unknown. Route handlers know it only from `X-Forwarded-For`, which Vercel or our
 * own server sets; Next's server fills it in from the socket if it is missing.
 */
export function clientAddress(
  { socketAddress, header }: Pick<RequestView, "socketAddress" | "header">,
  settings: ProxySettings,
): string | null {
  if (socketAddress !== undefined && !trustsProxy(settings)) return socketAddress;
  return lastForwardedFor(header("x-forwarded-for")) ?? socketAddress ?? null;
}

/** A host with an optional port: letters, digits, dots, hyphens, or an IPv6 literal. */
const hostPattern = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?$/i;

type OriginOptions = {
  /** BASE_URL, which takes precedence over the request. */
  baseUrl?: string;
  /** Whether `X-Forwarded-*` headers are trusted. */
  trustProxy: boolean;
};

function firstOf(value: string | null): string | undefined {
  return value?.split(",")[0]?.trim();
}

/** Returns the origin of a request. All absolute URLs in the response start with it. */
export function requestOrigin(view: RequestView, { baseUrl, trustProxy }: OriginOptions): URL {
  if (baseUrl) return new URL(baseUrl);
  const forwardedHost = trustProxy ? firstOf(view.header("x-forwarded-host")) : undefined;
  const forwardedProtocol = trustProxy ? firstOf(view.header("x-forwarded-proto")) : undefined;
  const host = forwardedHost ?? view.header("host") ?? "";
  const protocol = (forwardedProtocol ?? (view.encrypted ? "https" : "http")) === "https" ? "https" : "http";
  const url = hostPattern.test(host) ? `${protocol}://${host}` : "";
  return parseUrl(url) ?? new URL("http://localhost");
}
