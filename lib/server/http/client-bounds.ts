import type { ServerResponse } from "node:http";
import { ClientSlots, networkOf } from "#lib/platform/client-slots";
import { AppError } from "#lib/platform/errors";
import { isLoopbackAddress } from "#lib/platform/loopback";
import { observer } from "#lib/platform/observer";
import { processSingleton } from "#lib/platform/process-singleton";

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

/** Bounds on bodies over `minByteSize`, or of unknown size, that are read and parsed at the same time. */
export const largeBodyBounds = { minByteSize: 1024 * 1024, max: 16, maxPerNetwork: 4, maxForLoopback: 12 };

const bodySlots = () =>
  processSingleton("large-bodies", () => {
    const { max, maxPerNetwork } = largeBodyBounds;
    return new ClientSlots({ max, maxPerClient: maxPerNetwork });
  });

/**
 * Takes a slot for a body that may be large, and returns the function that frees it. Throws AppError service_unavailable
 * if none is free.
 */
export function takeLargeBody(
  { bodyByteSize = 0 }: { bodyByteSize?: number },
  { contentLength, address }: { contentLength: string | null; address: () => string | null },
): () => void {
  const isLarge = contentLength === null || Number(contentLength) > largeBodyBounds.minByteSize;
  if (bodyByteSize <= largeBodyBounds.minByteSize || !isLarge) return () => undefined;
  const { network, max } = networkBoundOf(address(), largeBodyBounds);
  const free = bodySlots().take(network, max);
  if (free) return free;
  throw new AppError("service_unavailable", "Too many large requests are being read. Try again in a second.", {
    headers: { "Retry-After": "1" },
  });
}

/** Maximum connections, in total and per client network. */
export const connectionBounds = { max: 10_000, maxPerNetwork: 2_500, maxForLoopback: 9_000 };

/** Maximum requests in progress, open streams included, of one client network. */
export const requestBounds = { maxPerNetwork: 1_000, maxForLoopback: connectionBounds.maxForLoopback };

/** Bounds the requests in progress of each client network, also behind a trusted proxy, where connections cannot tell. */
export class RequestSlots {
  readonly #slots = new ClientSlots({ max: connectionBounds.max, maxPerClient: requestBounds.maxPerNetwork });

  /** Takes a slot until the response closes. Returns the refusal if the client has no slot left, else undefined. */
  take(address: string | null, response: ServerResponse): AppError | undefined {
    const { network, max } = networkBoundOf(address, requestBounds);
    const free = this.#slots.take(network, max);
    if (free) {
      response.once("close", free);
      return undefined;
    }
    observer()?.refused("open_requests");
    const message = `At most ${max} requests and streams of one client can be open. Close some, or try again in a minute.`;
    return new AppError("service_unavailable", message, { headers: { "Retry-After": "60" } });
  }
}
