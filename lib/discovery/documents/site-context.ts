import type { Site } from "#lib/contract/sites";

/** The site that a document describes, and its origin. */
export type SiteContext = { origin: string; site: Site };

/** Summary of the service in the site documents. */
export const summary =
  "Replays recorded and authored model responses over SSE, byte for byte and with their timing, without an API key or tokens. Tracks vendors' llms.txt files: every version and every change.";

/** Returns whether a hostname is an IP address. */
const isIpAddress = (hostname: string) => /^(\[.*\]|[\d.]+)$/.test(hostname);

/** Returns the domain that the documents name as publisher: the origin's host, or `localhost` for an IP address. */
export function publisherDomain(origin: string): string {
  const { hostname } = new URL(origin);
  return isIpAddress(hostname) ? "localhost" : hostname;
}
