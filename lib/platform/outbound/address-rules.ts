import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { parseUrl } from "#lib/platform/parse-url";
import { OutboundError } from "./outbound-error";

/**
 * Rules for URLs given by users or vendors. A URL is checked before its name is resolved, and every resolved address is
 * checked before a connection is opened.
 */

/** Maximum length of a URL, in characters. */
const maxUrlLength = 2_048;

/** Names of local machines and networks, with their subdomains. */
const privateNames = [
  ...["localhost", "local", "localdomain", "internal", "intranet", "private", "corp", "home", "lan"],
  ...["home.arpa", "onion"],
];

/** Metadata services of clouds. Some of these addresses are in public ranges. */
const metadataAddresses = new Set([
  ...["169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192"],
  ...["fd00:ec2::254", "fd20:ce::254"],
]);

/** The only IPv6 block that is allocated for the public internet, and a block within it for documentation. */
const publicIpv6 = ipaddr.IPv6.parseCIDR("2000::/3");
const documentationIpv6 = ipaddr.IPv6.parseCIDR("3fff::/20");

/** Whether an IP address is public unicast and not a metadata service. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast" || metadataAddresses.has(parsed.toString())) return false;
  return parsed instanceof ipaddr.IPv4 || (parsed.match(publicIpv6) && !parsed.match(documentationIpv6));
}

function isPublicName(hostname: string): boolean {
  const name = hostname.replace(/\.+$/, "");
  return name.includes(".") && !privateNames.some((end) => name === end || name.endsWith(`.${end}`));
}

/** Ports below 1024 other than 80 and 443 belong to other protocols, which HTTP requests could attack. */
function isWebPort(port: number): boolean {
  return port === 80 || port === 443 || port >= 1_024;
}

function portOf({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}

/** Returns the IP address in a URL, normalized by URL parsing; undefined for a host name. */
function literalAddressOf({ hostname }: URL): string | undefined {
  const address = hostname.replace(/^\[|\]$/g, "");
  return isIP(address) === 0 ? undefined : address;
}

/** Whether the operator exempted a URL's `host:port` from the address rules. */
function isExempt(url: URL, allowedHosts: readonly string[]): boolean {
  return allowedHosts.includes(`${url.hostname}:${portOf(url)}`);
}

/** Parses a URL and checks every rule that needs no DNS lookup. Throws OutboundError. */
export function checkUrl(text: string, allowedHosts: readonly string[]): URL {
  const url = text.length <= maxUrlLength ? parseUrl(text) : undefined;
  if (!url) throw new OutboundError("invalid_url", `not an absolute URL of at most ${maxUrlLength} characters`);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new OutboundError("invalid_url", "only http and https URLs are requested");
  }
  if (url.username !== "" || url.password !== "") {
    throw new OutboundError("invalid_url", `a URL for ${url.host} must not contain a user name or password`);
  }
  if (isExempt(url, allowedHosts)) return url;
  const literal = literalAddressOf(url);
  const isPublic = literal === undefined ? isPublicName(url.hostname) : isPublicAddress(literal);
  if (!isPublic) throw new OutboundError("refused_address", `${url.hostname} is not a public address`);
  if (!isWebPort(portOf(url))) throw new OutboundError("refused_address", `${url.host} does not use a web port`);
  return url;
}

/** Resolves a name to all its addresses, as text. */
export type Resolve = (hostname: string) => Promise<string[]>;

/** Maximum addresses of one name. */
const maxAddressCount = 64;

export const systemResolve: Resolve = async (hostname) => {
  const entries = await lookup(hostname, { all: true });
  return entries.map(({ address }) => address);
};

async function lookUp(hostname: string, resolve: Resolve): Promise<string[]> {
  const failed = (cause?: unknown) =>
    new OutboundError("dns_failed", `the name ${hostname} was not found (DNS)`, { cause });
  const addresses = await resolve(hostname).catch((error: unknown) => {
    throw failed(error);
  });
  if (addresses.length === 0) throw failed();
  return addresses;
}

type Guard = { resolve: Resolve; allowedHosts: readonly string[] };

/**
 * Returns the addresses that a checked URL may connect to. The name is resolved once; if any of its addresses is not
 * public, all are refused. Throws OutboundError.
 */
export async function resolveAddresses(url: URL, { resolve, allowedHosts }: Guard): Promise<string[]> {
  const literal = literalAddressOf(url);
  if (literal !== undefined) return [literal];
  const addresses = await lookUp(url.hostname, resolve);
  const isRefused = addresses.length > maxAddressCount || !addresses.every(isPublicAddress);
  if (isRefused && !isExempt(url, allowedHosts)) {
    throw new OutboundError("refused_address", `${url.hostname} resolves to an address that is not public`);
  }
  return addresses;
}
