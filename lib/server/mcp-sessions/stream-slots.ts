import { keySubject } from "#lib/accounts/limits/index";
import { ClientSlots, networkOf } from "#lib/platform/client-slots";
import { AppError } from "#lib/platform/errors";
import { processSingleton } from "#lib/platform/process-singleton";
import type { SessionContext } from "./types";

/** Maximum open MCP streams of one instance. */
export const maxStreamCount = 1_000;
/** Maximum open MCP streams of one client network without a key, on one instance. */
export const maxStreamsPerNetwork = 20;
/** Maximum open MCP streams of one key, on one instance: one for each of its sessions. */
export const maxStreamsPerKey = 100;

const slots = () =>
  processSingleton(
    "mcpStreamSlots",
    () => new ClientSlots({ max: maxStreamCount, maxPerClient: maxStreamsPerNetwork }),
  );

/**
 * Takes a slot for a stream of the caller. Returns a function that frees it. Throws AppError service_unavailable if the
 * caller or this instance has too many open streams.
 */
export function takeStreamSlot({ caller, clientAddress }: Pick<SessionContext, "caller" | "clientAddress">) {
  const { limitId } = caller;
  const free =
    limitId === null
      ? slots().take(networkOf(clientAddress() ?? ""))
      : slots().take(keySubject(limitId), maxStreamsPerKey);
  if (free) return free;
  const message = `Too many streams are open: at most ${maxStreamsPerNetwork} for each client without a key, ${maxStreamsPerKey} for each key, and ${maxStreamCount} in all. Close some, or try again in a minute.`;
  throw new AppError("service_unavailable", message, { headers: { "Retry-After": "60" } });
}
