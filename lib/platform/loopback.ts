import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Whether an IP address belongs to this machine. IPv4 addresses mapped to IPv6 count as IPv4. False for other text. */
export function isLoopbackAddress(address: string): boolean {
  const version = isIP(address);
  return version === 4 ? address.startsWith("127.") : version === 6 && ipaddr.process(address).range() === "loopback";
}

/** Whether the host name of a URL belongs to this machine: `localhost`, a subdomain of it, or a loopback address. */
export function isLoopbackHost(hostname: string): boolean {
  if (hostname === "localhost" || hostname.endsWith(".localhost")) return true;
  return isLoopbackAddress(hostname.replace(/^\[|\]$/g, ""));
}
