import type { ServerResponse } from "node:http";
import type { Endpoint } from "#lib/contract/endpoint";
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

/**
 * Bounds on the bodies that are read and worked on at the same time. Those over `minByteSize`, or of unknown size, count
 * with their bytes; those over `largeByteSize` also take one of a few slots.
 */
export const bodyBounds = {
  minByteSize: 64 * 1024,
  maxTotalByteSize: 128 * 1024 * 1024,
  largeByteSize: 1024 * 1024,
  max: 16,
  maxPerNetwork: 4,
  maxForLoopback: 12,
};

const bodies = () =>
  processSingleton("large-bodies", () => {
    const { max, maxPerNetwork } = bodyBounds;
    return { slots: new ClientSlots({ max, maxPerClient: maxPerNetwork }), byteSize: 0 };
  });

/**
 * Reserves memory for a body that may be large, and returns the function that frees it. Throws AppError
 * service_unavailable if there is none.
 */
export function takeLargeBody(
  { rawBodyByteSize = 0 }: Pick<Endpoint, "rawBodyByteSize">,
  contentLength: string | null,
  address: () => string | null,
): () => void {
  const byteSize = Math.min(contentLength === null ? rawBodyByteSize : Number(contentLength), rawBodyByteSize);
  if (!(byteSize > bodyBounds.minByteSize)) return () => undefined;
  const taken = bodies();
  const { network, max } = networkBoundOf(address(), bodyBounds);
  const hasRoom = taken.byteSize + byteSize <= bodyBounds.maxTotalByteSize;
  const isLarge = byteSize > bodyBounds.largeByteSize;
  const freeSlot = hasRoom && (isLarge ? taken.slots.take(network, max) : () => undefined);
  if (!freeSlot) {
    throw new AppError("service_unavailable", "Too many large requests are being read. Try again in a second.", {
      headers: { "Retry-After": "1" },
    });
  }
  taken.byteSize += byteSize;
  return () => {
    taken.byteSize -= byteSize;
    freeSlot();
  };
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
