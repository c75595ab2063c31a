import type { Endpoint } from "#lib/contract/endpoint";
import { ClientSlots } from "#lib/platform/client-slots";
import { AppError } from "#lib/platform/errors";
import { processSingleton } from "#lib/platform/process-singleton";
import { networkBoundOf } from "./client-network";

/** Bounds on bodies over `minByteSize`, or of unknown size, that are read and parsed at the same time. */
export const largeBodyBounds = { minByteSize: 1024 * 1024, max: 16, maxPerNetwork: 4, maxForLoopback: 12 };

const slots = () =>
  processSingleton("large-bodies", () => {
    const { max, maxPerNetwork } = largeBodyBounds;
    return new ClientSlots({ max, maxPerClient: maxPerNetwork });
  });

type Client = { contentLength: string | null; address: () => string | null };

/**
 * Takes a slot for a body that may be large, and returns the function that frees it. Throws AppError service_unavailable
 * if none is free.
 */
export function takeLargeBody(
  { bodyByteSize = 0 }: Pick<Endpoint, "bodyByteSize">,
  { contentLength, address }: Client,
): () => void {
  const isLarge = contentLength === null || Number(contentLength) > largeBodyBounds.minByteSize;
  if (bodyByteSize <= largeBodyBounds.minByteSize || !isLarge) return () => undefined;
  const { network, max } = networkBoundOf(address(), largeBodyBounds);
  const free = slots().take(network, max);
  if (free) return free;
  throw new AppError("service_unavailable", "Too many large requests are being read. Try again in a second.", {
    headers: { "Retry-After": "1" },
  });
}
