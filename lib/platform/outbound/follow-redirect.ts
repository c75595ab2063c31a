import { parseUrl } from "#lib/platform/parse-url";
import type { HopRequest } from "./send-hop";

/** A request before its URL is checked. */
export type PlannedRequest = Omit<HopRequest, "url"> & { url: string };

const redirectStatuses = [301, 302, 303, 307, 308];

/** Headers that another origin gets to see; what else a caller sends may hold a secret. */
const harmlessHeaders = new Set([
  ...["accept", "accept-language", "content-type", "user-agent"],
  ...["if-none-match", "if-modified-since"],
]);

/** Whether an answer sends on to another address. */
export function isRedirect({ status, headers }: { status: number; headers: Record<string, string> }): boolean {
  return redirectStatuses.includes(status) && headers.location !== undefined;
}

/** The address that a redirect names, without fragment; not checked, and not even a URL where it is none. */
function targetOf(location: string, from: URL): string {
  const target = parseUrl(location, from);
  if (!target) return location;
  target.hash = "";
  return target.href;
}

/** What a redirect asks for: another origin gets harmless headers alone, and a POST becomes a GET as browsers do it. */
export function followRedirect(
  { url, method, headers, body }: HopRequest,
  { status, headers: answered }: { status: number; headers: Record<string, string> },
): PlannedRequest {
  const target = targetOf(answered.location ?? "", url);
  const isSameOrigin = parseUrl(target)?.origin === url.origin;
  const keepsBody = status === 307 || status === 308 || method === "GET";
  const kept = Object.entries(headers).filter(([name]) => {
    if (!keepsBody && /^content-/i.test(name)) return false;
    return isSameOrigin || harmlessHeaders.has(name.toLowerCase());
  });
  return {
    url: target,
    method: keepsBody ? method : "GET",
    headers: Object.fromEntries(kept),
    body: keepsBody ? body : undefined,
  };
}
