import { requireEncryptionKeys } from "#lib/platform/encryption";
import { guardedFetch } from "#lib/platform/outbound/index";
import type { DeliveryContext } from "../sending/attempt-delivery";

/** What an attempt within a request needs beside its context. */
export type SendOptions = Partial<Pick<DeliveryContext, "fetch" | "keys" | "random">>;

/** The context of an attempt that is made within a request. Throws AppError service_unavailable without a key. */
export function sendingContext<C extends Pick<DeliveryContext, "database" | "clock" | "ids" | "log">>(
  { database, clock, ids, log }: C,
  { fetch = guardedFetch, keys = requireEncryptionKeys(), random = Math.random }: SendOptions,
): DeliveryContext {
  return { database, clock, ids, log, fetch, keys, random };
}
