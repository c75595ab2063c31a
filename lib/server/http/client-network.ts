import { networkOf } from "#lib/accounts/limits/index";
import { isLoopbackAddress } from "#lib/platform/loopback";

/** A bound per client network: an IPv4 address, or the /64 network of an IPv6 address. */
export type NetworkBound = {
  maxPerNetwork: number;
  /** The same for loopback addresses: benchmarks, tests and proxies on this machine. Below the total, for other clients. */
  maxForLoopback: number;
};

/** Returns the network that counts as one client, and how much it may have open. */
export function networkBoundOf(
  address: string | null | undefined,
  { maxPerNetwork, maxForLoopback }: NetworkBound,
): { network: string; max: number } {
  const known = address ?? "";
  return { network: networkOf(known), max: isLoopbackAddress(known) ? maxForLoopback : maxPerNetwork };
}
