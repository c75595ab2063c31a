import { lookup } from "node:dns/promises";
import { isExempt, isPublicAddress, literalAddressOf } from "./address-rule";
import { OutboundError } from "./outbound-error";

/** Looks a name up: every address of it, as text. */
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
