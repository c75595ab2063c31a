import { isIP } from "node:net";
import { isLoopbackHost } from "#lib/platform/loopback";
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

/** Whether a host name is an IP address, which DNS cannot rebind. */
function isAddress(hostname: string): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;
}

/**
 * Whether a request may be answered. Without this check any page in a browser on the operator's machine could call an
 * unpublished server through a host name that its owner points at 127.0.0.1 (DNS rebinding). Of pages, those of this
 * machine and of the server's own host may call it, but not those of any other IP address.
 */
export function isAllowedOrigin({ host, origin, publicHostnames, isProxied }: OriginFacts): boolean {
  const hostname = parseUrl(`http://${host}`)?.hostname ?? "";
  const isPublished = isProxied || publicHostnames.includes(hostname);
  if (isPublished) return true;
  if (!isLoopbackHost(hostname) && !isAddress(hostname)) return false;
  if (origin === null) return true;
  const originHostname = parseUrl(origin)?.hostname ?? "";
  return originHostname === hostname || isLoopbackHost(originHostname);
}
