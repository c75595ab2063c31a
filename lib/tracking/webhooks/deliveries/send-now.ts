import type { CallContext } from "#lib/accounts/keys/index";
import { countInMinute } from "#lib/accounts/limits/index";
import type { Context } from "#lib/platform/context";
import { requireEncryptionKeys } from "#lib/platform/encryption";
import { AppError } from "#lib/platform/errors";
import { guardedFetch } from "#lib/platform/outbound/index";
import { eventBody } from "../outbox/enqueue";
import { insertTest } from "../outbox/store";
import { ownerOf, requireActive, requireWebhook } from "../require-webhook";
import { highSignificanceEvent } from "../schemas";
import { attemptDelivery, type DeliveryContext } from "../sending/attempt-delivery";
import { takeDelivery } from "../sending/store";
import { findDelivery } from "../store";
import { toDelivery } from "./list-deliveries";
import { type DeliveryAnswer, maxSentPerMinute } from "./schemas";

type SendContext = CallContext & Pick<Context, "ids" | "log">;

/** Dependencies of an attempt within a request, in addition to its context. */
type SendOptions = Partial<Pick<DeliveryContext, "fetch" | "keys" | "random">>;

/** Returns the context of an attempt within a request. Throws AppError service_unavailable without an encryption key. */
function createDeliveryContext(
  context: SendContext,
  { fetch = guardedFetch, keys = requireEncryptionKeys(), random = Math.random }: SendOptions,
): DeliveryContext {
  return { ...context, fetch, keys, random };
}

/** Counts a request that makes this server send one. Throws AppError rate_limited. */
async function countSend({ caller, database, clock }: SendContext): Promise<void> {
  const { accountId } = ownerOf(caller);
  const done = `sent ${maxSentPerMinute} tests and redeliveries`;
  await countInMinute(database, { action: "sends", accountId, limit: maxSentPerMinute, now: clock.now(), done });
}

/**
 * Attempts a delivery now, whatever its status, and returns it with the result. If the attempt fails, a pending delivery
 * continues its schedule, and a finished one keeps its status. Throws AppError not_found, conflict while another attempt is
 * in progress or if the webhook is deactivated, and rate_limited after `maxSentPerMinute` in a minute.
 */
export async function redeliver(
  context: SendContext,
  { params: { id: webhookId, deliveryId } }: { params: { id: string; deliveryId: string } },
  options: SendOptions = {},
): Promise<DeliveryAnswer> {
  const deliveryContext = createDeliveryContext(context, options);
  const webhook = await requireWebhook(context, webhookId);
  if (!(await findDelivery(context.database, { id: deliveryId, webhookId }))) {
    throw new AppError("not_found", `This webhook has no delivery ${deliveryId}.`);
  }
  requireActive(webhook);
  await countSend(context);
  return attemptNow(deliveryContext, { webhookId, deliveryId });
}

async function attemptNow(
  context: DeliveryContext,
  { webhookId, deliveryId }: { webhookId: string; deliveryId: string },
): Promise<DeliveryAnswer> {
  const { clock, ids, database } = context;
  const taken = await takeDelivery(database, { id: deliveryId, webhookId, leaseId: ids.next(), now: clock.now() });
  if (!taken) throw new AppError("conflict", "An attempt at this delivery is in progress. Try again in a moment.");
  await attemptDelivery(context, taken);
  const delivery = await findDelivery(database, { id: deliveryId, webhookId });
  if (!delivery) throw new AppError("not_found", "The delivery was deleted during the attempt.");
  return { delivery: toDelivery(delivery, clock.now()) };
}

const vendor = { name: "QuarryDB", slug: "quarrydb", domain: "quarrydb.example" };

/** `data` of a test event: an invented vendor, in the form of a real change. */
const sampleData = {
  report: {
    id: "019aa5c2-8a10-7d51-b3c4-6f0e1a2b3c4d",
    vendor,
    summary: "The section on API keys of version 1 was removed; version 2 needs OAuth tokens.",
    significance: 5,
    categories: ["api-change", "deprecation"],
    sections_added: ["Authentication with OAuth"],
    sections_removed: ["API keys"],
    sections_modified: [],
    key_quotes: ["API keys of version 1 stop working on 1 March."],
    byte_size_change_pct: -3.2,
    analysis_mode: "realtime",
    created_at: "2026-11-21T09:30:00.000Z",
  },
  vendor: { ...vendor, category: "database" },
  diff: {
    id: "019aa5c2-7f10-7c3e-8f2a-5d1c0b7e9a44",
    previous_snapshot_id: "019a9c01-1b20-7a11-9c5d-2e4f6a8b0c1d",
    current_snapshot_id: "019aa5c2-7f0f-7b02-a1d4-93e5c7f10b26",
    lines_added: 4,
    lines_removed: 9,
    links_added: ["https://quarrydb.example/docs/oauth"],
    links_removed: ["https://quarrydb.example/docs/api-keys"],
    created_at: "2026-11-21T09:30:00.000Z",
  },
};

/** Delay before the delivery job picks up a test, in case this process ends before making the attempt itself. */
const jobDelayMs = 30_000;

/**
 * Sends a sample event with `"test": true` in its body to a webhook now, once, and returns the delivery. A failure does
 * not count against the webhook. Throws AppError not_found, conflict if the webhook is deactivated, and
 * rate_limited like `redeliver`.
 */
export async function sendTest(
  context: SendContext,
  { params: { id } }: { params: { id: string } },
  options: SendOptions = {},
): Promise<DeliveryAnswer> {
  const { clock, ids, database } = context;
  const deliveryContext = createDeliveryContext(context, options);
  requireActive(await requireWebhook(context, id));
  await countSend(context);
  const at = clock.now();
  const [eventId, deliveryId] = [ids.next(), ids.next()];
  const event = { id: eventId, type: highSignificanceEvent, at };
  const body = eventBody({ ...event, data: sampleData, isTest: true });
  const deliveries = [{ id: deliveryId, webhookId: id }];
  await insertTest(database, { ...event, body, reportId: null, deliveries }, new Date(at.getTime() + jobDelayMs));
  return attemptNow(deliveryContext, { webhookId: id, deliveryId });
}
