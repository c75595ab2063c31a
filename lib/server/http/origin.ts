import { parseUrl } from "#lib/platform/parse-url";
import type { RequestView } from "./request-view";

/** A host with an optional port: letters, digits, dots, hyphens, or an IPv6 literal. */
const hostPattern = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?$/i;

type OriginOptions = {
  /** BASE_URL: overrides what the request says. */
  baseUrl?: string;
  /** Whether `X-Forwarded-*` comes from a proxy of ours. */
  trustProxy: boolean;
};

function firstOf(value: string | null): string | undefined {
  return value?.split(",")[0]?.trim();
}

/** The origin that a request came to: every absolute URL of its answer starts with it. */
export function requestOrigin(view: RequestView, { baseUrl, trustProxy }: OriginOptions): URL {
  if (baseUrl) return new URL(baseUrl);
  const forwardedHost = trustProxy ? firstOf(view.header("x-forwarded-host")) : undefined;
  const forwardedProtocol = trustProxy ? firstOf(view.header("x-forwarded-proto")) : undefined;
  const host = forwardedHost ?? view.header("host") ?? "";
  const protocol = (forwardedProtocol ?? (view.encrypted ? "https" : "http")) === "https" ? "https" : "http";
  const named = hostPattern.test(host) ? `${protocol}://${host}` : "";
  return parseUrl(named) ?? new URL("http://localhost");
}
