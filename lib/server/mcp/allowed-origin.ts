import { isIP } from "node:net";
import { parseUrl } from "#lib/platform/parse-url";

type OriginFacts = {
  /** Host of the request, with or without a port. */
  host: string | null;
  /** The `Origin` header, which browsers send; null without one. */
  origin: string | null;
  /** Host names under which the operator publishes the service. */
  publicHostnames: readonly string[];
  /** Whether requests come through a proxy of the operator. */
  isProxied: boolean;
};

/** Whether a host name is `localhost`, a subdomain of it, or an IP address, which DNS cannot rebind. */
function isLocal(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, "");
  return hostname === "localhost" || hostname.endsWith(".localhost") || isIP(address) !== 0;
}

/**
 * Whether a request may be answered. Without this check any page in a browser on the operator's machine could call an
 * unpublished server through a host name that its owner points at 127.0.0.1 (DNS rebinding).
 */
export function isAllowedOrigin({ host, origin, publicHostnames, isProxied }: OriginFacts): boolean {
  const hostname = parseUrl(`http://${host}`)?.hostname ?? "";
  const isPublished = isProxied || publicHostnames.includes(hostname);
  if (isPublished) return true;
  if (!isLocal(hostname)) return false;
  return origin === null || isLocal(parseUrl(origin)?.hostname ?? "");
}
