import { networkOf } from "#lib/accounts/limits/index";

/** The networks of 127.0.0.1 and ::1, where benchmarks, tests and proxies on this machine come from. */
const loopbackNetworks = /^(?:127\.|0:0:0:0::\/64$)/;

/** A bound per client network: an IPv4 address, or the /64 network of an IPv6 address. */
export type NetworkBound = {
  maxPerNetwork: number;
  /** For loopback addresses; it leaves room for other clients. */
  maxForLoopback: number;
};

/** Returns the network that counts as one client, and how much it may have open. */
export function networkBoundOf(
  address: string | null | undefined,
  { maxPerNetwork, maxForLoopback }: NetworkBound,
): { network: string; max: number } {
  const network = networkOf(address ?? "");
  return { network, max: loopbackNetworks.test(network) ? maxForLoopback : maxPerNetwork };
}
