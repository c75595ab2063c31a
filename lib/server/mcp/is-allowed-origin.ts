import { isIP } from "node:net";
import { parseUrl } from "#lib/platform/parse-url";

type Reached = {
  /** Host of the request, with or without a port. */
  host: string | null;
  /** Origin of the page that sent it; null where no browser did. */
  origin: string | null;
  /** Host names under which an operator publishes the service. */
  publicHostnames: readonly string[];
  /** Whether a proxy of the operator stands in front. */
  isProxied: boolean;
};

/** `localhost` and what stands below it; an address cannot be rebound by DNS. */
function isLocal(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, "");
  return hostname === "localhost" || hostname.endsWith(".localhost") || isIP(address) !== 0;
}

/**
 * Whether a request may be one that the service is for. A server that is not published could otherwise be asked by any
 * page in its user's browser, through a name that the page's owner lets point here (DNS rebinding).
 */
export function isAllowedOrigin({ host, origin, publicHostnames, isProxied }: Reached): boolean {
  const hostname = parseUrl(`http://${host}`)?.hostname ?? "";
  const isPublished = isProxied || publicHostnames.includes(hostname);
  if (isPublished) return true;
  if (!isLocal(hostname)) return false;
  return origin === null || isLocal(parseUrl(origin)?.hostname ?? "");
}
