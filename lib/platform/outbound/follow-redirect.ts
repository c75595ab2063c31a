import { parseUrl } from "#lib/platform/parse-url";
import type { HopRequest } from "./send-hop";

/** A request before its URL is checked. */
export type PlannedRequest = Omit<HopRequest, "url"> & { url: string };

const redirectStatuses = [301, 302, 303, 307, 308];

/** Headers that are sent to another origin. Others may contain secrets. */
const safeHeaders = new Set([
  ...["accept", "accept-language", "content-type", "user-agent"],
  ...["if-none-match", "if-modified-since"],
]);

/** Whether an answer is a redirect. */
export function isRedirect({ status, headers }: { status: number; headers: Record<string, string> }): boolean {
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
export function followRedirect(
  { url, method, headers, body }: HopRequest,
  { status, headers: answered }: { status: number; headers: Record<string, string> },
): PlannedRequest {
  const target = targetOf(answered.location ?? "", url);
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
