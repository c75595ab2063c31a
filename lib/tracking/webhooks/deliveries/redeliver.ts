import type { Caller } from "#lib/accounts/keys/index";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { requireEncryptionKeys } from "#lib/platform/encryption";
import { AppError } from "#lib/platform/errors";
import type { Ids } from "#lib/platform/ids";
import type { Log } from "#lib/platform/log";
import { guardedFetch } from "#lib/platform/outbound/index";
import { inactiveWebhook, ownerOf, unknownWebhook } from "../owner";
import { attemptDelivery, type DeliveryContext } from "../sending/attempt-delivery";
import { takeDelivery } from "../sending/store";
import { findWebhook } from "../store";
import { toDelivery } from "./list-deliveries";
import type { DeliveryAnswer } from "./schemas";
import { findDelivery } from "./store";

/** What an attempt within a request needs beside its context. */
export type SendOptions = Partial<Pick<DeliveryContext, "fetch" | "keys" | "random">>;

/** The context of an attempt that is made within a request. Throws AppError service_unavailable without a key. */
export function sendingContext<C extends Pick<DeliveryContext, "database" | "clock" | "ids" | "log">>(
  { database, clock, ids, log }: C,
  { fetch = guardedFetch, keys = requireEncryptionKeys(), random = Math.random }: SendOptions,
): DeliveryContext {
  return { database, clock, ids, log, fetch, keys, random };
}

type RedeliverContext = { caller: Caller; clock: Clock; ids: Ids; database: Database; log: Log };
type RedeliverInput = { params: { id: string; deliveryId: string } };

/**
 * Makes an attempt at a delivery now, whatever became of it before, and gives the delivery as it is then. Where it fails,
 * one that was waiting goes on in its schedule, and one that had ended stays as it was. Throws AppError: not_found, and
 * conflict while an attempt is under way or where the webhook is deactivated.
 */
export async function redeliver(
  context: RedeliverContext,
  { params: { id: webhookId, deliveryId } }: RedeliverInput,
  options: SendOptions = {},
): Promise<DeliveryAnswer> {
  const { caller, clock, ids, database } = context;
  const sending = sendingContext(context, options);
  const webhook = await findWebhook(database, ownerOf(caller), webhookId);
  if (!webhook) throw unknownWebhook(webhookId);
  if (!(await findDelivery(database, { id: deliveryId, webhookId }))) {
    throw new AppError("not_found", `There is no delivery ${deliveryId} of this webhook.`);
  }
  if (!webhook.active) throw inactiveWebhook(webhook);
  const take = { id: deliveryId, webhookId, leaseId: ids.next(), now: clock.now() };
  const taken = await takeDelivery(database, take);
  if (!taken) throw new AppError("conflict", "An attempt at this delivery is under way. Look again in a moment.");
  await attemptDelivery(sending, taken);
  const delivery = await findDelivery(database, { id: deliveryId, webhookId });
  if (!delivery) throw new AppError("not_found", "The delivery was deleted meanwhile.");
  return { delivery: toDelivery(delivery, clock.now()) };
}
