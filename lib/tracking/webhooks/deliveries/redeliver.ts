import type { Caller } from "#lib/accounts/keys/index";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { requireEncryptionKeys } from "#lib/platform/encryption";
import { AppError } from "#lib/platform/errors";
import type { Ids } from "#lib/platform/ids";
import type { Log } from "#lib/platform/log";
import { guardedFetch } from "#lib/platform/outbound/index";
import { requireActive, requireWebhook } from "../require-webhook";
import { attemptDelivery, type DeliveryContext } from "../sending/attempt-delivery";
import { takeDelivery } from "../sending/store";
import { toDelivery } from "./list-deliveries";
import type { DeliveryAnswer } from "./schemas";
import { findDelivery } from "./store";

export type RedeliverContext = { caller: Caller; clock: Clock; ids: Ids; database: Database; log: Log };

/** Dependencies of an attempt within a request, in addition to its context. */
export type SendOptions = Partial<Pick<DeliveryContext, "fetch" | "keys" | "random">>;

/** Returns the context of an attempt within a request. Throws AppError service_unavailable without an encryption key. */
export function createSendContext(
  { database, clock, ids, log }: Pick<DeliveryContext, "database" | "clock" | "ids" | "log">,
  { fetch = guardedFetch, keys = requireEncryptionKeys(), random = Math.random }: SendOptions,
): DeliveryContext {
  return { database, clock, ids, log, fetch, keys, random };
}

/**
 * Attempts a delivery now, whatever its status, and returns it with the result. If the attempt fails, a pending delivery
 * continues its schedule, and a finished one keeps its status. Throws AppError not_found, and conflict while another
 * attempt is in progress or if the webhook is deactivated.
 */
export async function redeliver(
  context: RedeliverContext,
  { params: { id: webhookId, deliveryId } }: { params: { id: string; deliveryId: string } },
  options: SendOptions = {},
): Promise<DeliveryAnswer> {
  const { clock, ids, database } = context;
  const sendContext = createSendContext(context, options);
  const webhook = await requireWebhook(context, webhookId);
  if (!(await findDelivery(database, { id: deliveryId, webhookId }))) {
    throw new AppError("not_found", `This webhook has no delivery ${deliveryId}.`);
  }
  requireActive(webhook);
  const taken = await takeDelivery(database, { id: deliveryId, webhookId, leaseId: ids.next(), now: clock.now() });
  if (!taken) throw new AppError("conflict", "An attempt at this delivery is in progress. Try again in a moment.");
  await attemptDelivery(sendContext, taken);
  const delivery = await findDelivery(database, { id: deliveryId, webhookId });
  if (!delivery) throw new AppError("not_found", "The delivery was deleted during the attempt.");
  return { delivery: toDelivery(delivery, clock.now()) };
}
