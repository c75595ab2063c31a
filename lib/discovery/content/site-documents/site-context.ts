import type { Site } from "#lib/replay/sites/index";

/** What every discovery document needs: where the site is, and which one it is. */
export type DiscoveryContext = { origin: string; site: Site };

/** What the service does, in one breath. */
export const summary =
  "Replays recorded model responses over SSE, byte for byte and with the recorded timing: no API key, no tokens. Tracks vendors' llms.txt files: every version, and what changed.";

/** An address literal or this machine: nobody's domain. */
const isUnnamed = (hostname: string) => /^(\[.*\]|[\d.]+)$/.test(hostname);

/** The domain that the documents name as their publisher: the origin's host, and `localhost` for an address literal. */
export function publisherDomain(origin: string): string {
  const { hostname } = new URL(origin);
  return isUnnamed(hostname) ? "localhost" : hostname;
}
