import type { Site } from "#lib/contract/sites";

/** The site that a document describes, and its origin. */
export type SiteContext = { origin: string; site: Site };

/** Summary of the service in the site documents. */
export const summary =
  "Records the model calls of test suites once and replays them byte for byte, without an API key, network or tokens. Tracks vendors' llms.txt files: every version and every change. Replays a gallery of model responses over SSE, with their timing.";

/** Returns whether a hostname is an IP address. */
const isIpAddress = (hostname: string) => /^(\[.*\]|[\d.]+)$/.test(hostname);

/** Returns the domain that the documents name as publisher: the origin's host, or `localhost` for an IP address. */
export function publisherDomain(origin: string): string {
  const { hostname } = new URL(origin);
  return isIpAddress(hostname) ? "localhost" : hostname;
}
