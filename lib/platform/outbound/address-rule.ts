import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { parseUrl } from "#lib/platform/parse-url";
import { OutboundError } from "./outbound-error";

/**
 * The guard's rules: which addresses a user or a vendor may send this service to. A URL is checked here before its
 * name is looked up, and every address that the look-up gives is checked before anything connects to it.
 */

/** Longest URL that is requested, in characters. */
const maxUrlLength = 2_048;

/** Names that mean a machine or a network of one's own, and everything below them. */
const privateNames = [
  ...["localhost", "local", "localdomain", "internal", "intranet", "private", "corp", "home", "lan"],
  ...["home.arpa", "onion"],
];

/** Where clouds answer their machines; some of these are public addresses by their number. */
const metadataAddresses = new Set([
  ...["169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192"],
  ...["fd00:ec2::254", "fd20:ce::254"],
]);

/** The only block of IPv6 that is given out for the public internet, and one in it that is for documentation. */
const publicIpv6 = ipaddr.IPv6.parseCIDR("2000::/3");
const documentationIpv6 = ipaddr.IPv6.parseCIDR("3fff::/20");

/** Whether an IP address, as text, is public unicast and no metadata service. */
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

/** Other protocols live below 1024: an HTTP request there is an attack on somebody. */
function isWebPort(port: number): boolean {
  return port === 80 || port === 443 || port >= 1_024;
}

function portOf({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}

/** The IP address that a URL names in place of a host, in any notation that URLs know; undefined for a name. */
export function literalAddressOf({ hostname }: URL): string | undefined {
  const address = hostname.replace(/^\[|\]$/g, "");
  return isIP(address) === 0 ? undefined : address;
}

/** Whether a `host:port` pair of the operator's exempts this URL from the address rule. */
export function isExempt(url: URL, allowedHosts: readonly string[]): boolean {
  return allowedHosts.includes(`${url.hostname}:${portOf(url)}`);
}

/** Reads a URL and holds it against every rule that needs no look-up. Throws OutboundError. */
export function checkUrl(text: string, allowedHosts: readonly string[]): URL {
  const url = text.length <= maxUrlLength ? parseUrl(text) : undefined;
  if (!url) throw new OutboundError("invalid_url", `not an absolute URL of at most ${maxUrlLength} characters`);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new OutboundError("invalid_url", "only http and https URLs are requested");
  }
  if (url.username !== "" || url.password !== "") {
    throw new OutboundError("invalid_url", `a URL for ${url.host} may not hold a user or a password`);
  }
  if (isExempt(url, allowedHosts)) return url;
  const literal = literalAddressOf(url);
  const isPublic = literal === undefined ? isPublicName(url.hostname) : isPublicAddress(literal);
  if (!isPublic) throw new OutboundError("refused_address", `${url.hostname} is not a public address`);
  if (!isWebPort(portOf(url))) throw new OutboundError("refused_address", `${url.host} is not a port of the web`);
  return url;
}
