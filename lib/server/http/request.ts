import type { Config } from "#lib/platform/config";
import { parseUrl } from "#lib/platform/parse-url";

/** Whether a request that no endpoint takes comes from a program: pages are sent forms, and get actions with a header. */
export function isProgramPost(method: string, header: (name: string) => string | null): boolean {
  return method === "POST" && header("next-action") === null && /\bjson\b/i.test(header("content-type") ?? "");
}

/** A request, independent of the server that received it. */
export type RequestView = {
  method: string;
  /** Path and query as sent. */
  target: string;
  header: (name: string) => string | null;
  headers: () => Headers;
  /** Whether the connection itself is TLS. */
  encrypted: boolean;
  /** Remote address of the connection. Undefined in route handlers, which have a header instead. */
  socketAddress?: string | undefined;
  /** Decoded path parameters. */
  params: Record<string, string>;
  /** Aborted when the client disconnects. */
  signal: () => AbortSignal;
  /** Reads at most `limit` bytes. Returns null if the body is larger. */
  readBody: (limit: number) => Promise<Uint8Array | null>;
};

/** Returns the query of a request target. */
export function queryOf(target: string): URLSearchParams {
  const start = target.indexOf("?");
  return new URLSearchParams(start < 0 ? "" : target.slice(start + 1));
}

/** Returns the path of a request target, without the query, which may contain secrets. */
export function pathOf(target: string): string {
  const start = target.indexOf("?");
  return start < 0 ? target : target.slice(0, start);
}

type ProxySettings = Pick<Config, "TRUST_PROXY" | "VERCEL">;

/** Number of trusted proxies in front of this server: as TRUST_PROXY says; without it one on Vercel, else none. */
export function trustedProxyCount({ TRUST_PROXY, VERCEL }: ProxySettings): number {
  return TRUST_PROXY ?? (VERCEL ? 1 : 0);
}

/** Whether `X-Forwarded-*` headers are trusted. */
export function trustsProxy(settings: ProxySettings): boolean {
  return trustedProxyCount(settings) > 0;
}

/**
 * Returns the entry of an `X-Forwarded-*` header that the outermost of `proxyCount` trusted proxies wrote; undefined
 * without one. Each proxy appends an entry, so this is the entry at that position from the end; a client may have forged
 * the entries before it. If there are fewer entries, a trusted proxy has replaced the header, so the first entry counts.
 */
export function forwardedValue(value: string | null, proxyCount: number): string | undefined {
  if (value === null || proxyCount === 0) return undefined;
  const entries = value.split(",");
  return entries[Math.max(0, entries.length - proxyCount)]?.trim() || undefined;
}

const withPort = /^(?:\[(?<v6>[^\]]+)\](?::\d+)?|(?<v4>\d+\.\d+\.\d+\.\d+):\d+)$/;

/** Returns an entry of `X-Forwarded-For` without its port. */
function withoutPort(address: string): string {
  const { v4, v6 } = withPort.exec(address)?.groups ?? {};
  return v4 ?? v6 ?? address;
}

/**
 * Returns the client's address; null if unknown. Route handlers know it only from `X-Forwarded-For`, which Vercel or our
 * own server sets; Next's server fills it in from the socket if it is missing.
 */
export function clientAddress(
  { socketAddress, header }: Pick<RequestView, "socketAddress" | "header">,
  settings: ProxySettings,
): string | null {
  const proxyCount = trustedProxyCount(settings);
  if (socketAddress !== undefined && proxyCount === 0) return socketAddress;
  const forwarded = forwardedValue(header("x-forwarded-for"), Math.max(1, proxyCount));
  return forwarded === undefined ? (socketAddress ?? null) : withoutPort(forwarded);
}

/** A host with an optional port: letters, digits, dots, hyphens, or an IPv6 literal. */
export const hostPattern = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?$/i;

/** Whether the client's own connection is encrypted: the one to this server, or the one to a trusted proxy. */
export function isSecure(
  { header, encrypted }: Pick<RequestView, "header" | "encrypted">,
  proxyCount: number,
): boolean {
  const protocol = forwardedValue(header("x-forwarded-proto"), proxyCount);
  return protocol === undefined ? encrypted : protocol.toLowerCase() === "https";
}

type OriginOptions = {
  /** BASE_URL, which takes precedence over the host of the request, but not over that of a site. */
  baseUrl?: string;
  /** Number of trusted proxies. */
  proxyCount: number;
  /** Port of this server. */
  port?: number;
  /** Whether a host name is that of a site of its own, such as `legal.localhost`. */
  isSite?: (hostname: string) => boolean;
};

/** Returns the origin of a request. All absolute URLs in the response start with it. */
export function requestOrigin(
  view: Pick<RequestView, "header" | "encrypted">,
  { baseUrl, proxyCount, port, isSite = () => false }: OriginOptions,
): URL {
  const host = forwardedValue(view.header("x-forwarded-host"), proxyCount) ?? view.header("host") ?? "";
  const protocol = isSecure(view, proxyCount) ? "https" : "http";
  const url = hostPattern.test(host) ? `${protocol}://${host}` : "";
  const origin = parseUrl(url) ?? new URL("http://localhost");
  if (baseUrl && !isSite(origin.hostname)) return new URL(baseUrl);
  // A client that names a local site in its Host header alone leaves the port out.
  const isPortMissing = proxyCount === 0 && origin.port === "" && origin.hostname.endsWith(".localhost");
  if (isPortMissing && port !== undefined) origin.port = String(port);
  return origin;
}
