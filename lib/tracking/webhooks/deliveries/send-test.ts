import type { Caller } from "#lib/accounts/keys/index";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import type { Ids } from "#lib/platform/ids";
import type { Log } from "#lib/platform/log";
import { eventBody } from "../outbox/event-body";
import { insertTest } from "../outbox/store";
import { inactiveWebhook, ownerOf, unknownWebhook } from "../owner";
import { highSignificance } from "../schemas";
import { findWebhook } from "../store";
import { redeliver } from "./redeliver";
import { sampleData } from "./sample-data";
import type { DeliveryAnswer } from "./schemas";
import { type SendOptions, sendingContext } from "./send-now";

/** A test waits for its one attempt, which follows at once; if this process ends before that, for the next run. */
const pickUpAfterMs = 30_000;

type TestContext = { caller: Caller; clock: Clock; ids: Ids; database: Database; log: Log };

/**
 * Sends a made-up event to a webhook now, once, with `"test": true` in its body, and gives the delivery. Its failure does
 * not count against the webhook. Throws AppError: not_found, and conflict where the webhook is deactivated.
 */
export async function sendTest(
  context: TestContext,
  { params: { id } }: { params: { id: string } },
  options: SendOptions = {},
): Promise<DeliveryAnswer> {
  const { caller, clock, ids, database } = context;
  const { keys } = sendingContext(context, options);
  const webhook = await findWebhook(database, ownerOf(caller), id);
  if (!webhook) throw unknownWebhook(id);
  if (!webhook.active) throw inactiveWebhook(webhook);
  const at = clock.now();
  const [eventId, deliveryId] = [ids.next(), ids.next()];
  const type = highSignificance;
  const body = eventBody({ id: eventId, type, at, data: sampleData, isTest: true });
  const nextAttemptAt = new Date(at.getTime() + pickUpAfterMs);
  await insertTest(
    database,
    { id: eventId, type, body, reportId: null, isTest: true, at },
    { id: deliveryId, webhookId: id, eventId, createdAt: at, nextAttemptAt },
  );
  return redeliver(context, { params: { id, deliveryId } }, { ...options, keys });
}
