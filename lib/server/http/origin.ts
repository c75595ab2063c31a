import { parseUrl } from "#lib/platform/parse-url";
import type { RequestView } from "./request-view";

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
