import type Stripe from "stripe";
import * as z from "zod";
import { AppError } from "#lib/platform/errors";
import { accountMetadata } from "./create-checkout";
import { fulfilCheckout } from "./fulfil-checkout";
import {
  configuredPayments,
  findAtProvider,
  type Payments,
  type PaymentsSource,
  type PurchaseContext,
  type SoldTier,
} from "./payments";
import type { EventReceipt } from "./schemas";
import {
  findCheckout,
  findSubscription,
  isEventRecorded,
  type PaymentEvent,
  recordEvent,
  replaceSubscription,
} from "./store";
import { failedSince, readSubscription, tierAt } from "./subscription-state";

/** Maximum age of a signature, in seconds, which limits replay attacks. */
const toleranceSeconds = 5 * 60;

const reference = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]);
const eventSchema = z.object({
  id: z.string().min(1).max(255),
  type: z.string(),
  created: z.int(),
  data: z.object({
    object: z.object({
      id: z.string().optional(),
      /** The subscription of an invoice, in the current version of the provider's API; `subscription` in older ones. */
      parent: z.object({ subscription_details: z.object({ subscription: reference }).nullish() }).nullish(),
      subscription: reference.nullish().catch(null),
    }),
  }),
});
type ProviderEvent = z.infer<typeof eventSchema>;

const checkoutEvents = new Set([
  "checkout.session.completed",
  "checkout.session.async_payment_succeeded",
  "checkout.session.async_payment_failed",
]);
const subscriptionEvents = new Set([
  "customer.subscription.created",
  "customer.subscription.updated",
  "customer.subscription.deleted",
]);
const invoiceEvents = new Set(["invoice.paid", "invoice.payment_failed"]);

type SignedRequest = { rawBody: Uint8Array; header: (name: string) => string | null };

/** Verifies the signature of a request and returns its event. Throws AppError bad_request. */
function verifyEvent(
  { stripe, webhookSecret }: Payments,
  { rawBody, header }: SignedRequest,
  now: Date,
): ProviderEvent {
  const signature = header("stripe-signature") ?? "";
  let event: unknown;
  try {
    const body = Buffer.from(rawBody);
    event = stripe.webhooks.constructEvent(body, signature, webhookSecret, toleranceSeconds, undefined, now.getTime());
  } catch {
    // The thrown error contains the whole body, which must not reach a response or the log.
    const message =
      "The signature of the event is missing, wrong, or older than 5 minutes. Check STRIPE_WEBHOOK_SECRET.";
    throw new AppError("bad_request", message);
  }
  const result = eventSchema.safeParse(event);
  if (!result.success) throw new AppError("bad_request", "The body is not an event of the payment provider.");
  return result.data;
}

/** Returns the object that an event concerns; null for irrelevant events. */
function subjectOf({
  type,
  data: { object },
}: ProviderEvent): { sessionId: string } | { subscriptionId: string } | null {
  const { id, parent, subscription } = object;
  if (checkoutEvents.has(type) && id) return { sessionId: id };
  if (subscriptionEvents.has(type) && id) return { subscriptionId: id };
  const subscriptionId = parent?.subscription_details?.subscription ?? subscription;
  return invoiceEvents.has(type) && subscriptionId ? { subscriptionId } : null;
}

/** Most attempts to store a state while concurrent events change it. */
const maxAttemptCount = 5;

/** Fulfils the purchase of a subscription that is not stored yet; returns whether it was paid. */
async function fulfilPurchaseOf(context: PurchaseContext, { metadata }: Stripe.Subscription, payments: PaymentsSource) {
  const id = z.uuid().safeParse(metadata[accountMetadata]);
  const checkout = id.success ? await findCheckout(context.database, { id: id.data }) : null;
  // A late event of a subscription that another purchase of its account has replaced changes nothing.
  if (!checkout?.sessionId || checkout.fulfilledAt) return false;
  return (await fulfilCheckout(context, { sessionId: checkout.sessionId }, payments)) === "fulfilled";
}

/**
 * Stores the current state of a subscription at the provider. The event only says that something changed: its content may
 * be outdated, so the state is fetched. An event older than the stored state changes nothing, nor does one of a
 * subscription that is not paid yet, because its fulfilment fetches the state too. Throws AppError internal_error.
 */
async function syncSubscription(
  context: PurchaseContext,
  { subscriptionId, event }: { subscriptionId: string; event: PaymentEvent },
  payments: PaymentsSource,
): Promise<void> {
  const { database, clock, ids, log } = context;
  const provider = await payments();
  for (let attempt = 0; attempt < maxAttemptCount; attempt += 1) {
    const stored = await findSubscription(database, { id: subscriptionId });
    const isOld = stored !== null && event.createdAt < stored.stateAt;
    const current = isOld ? null : await findAtProvider(() => provider.stripe.subscriptions.retrieve(subscriptionId));
    const now = clock.now();
    if (!current || (!stored && !(await fulfilPurchaseOf(context, current, payments)))) {
      await recordEvent(database, event, now);
      return;
    }
    if (!stored) continue;
    const next = readSubscription(current, provider.prices, {
      previous: stored,
      boughtTier: stored.tier as SoldTier,
      failedSince: await failedSince(provider, current),
      includes: event.createdAt,
      now,
    });
    const tier = tierAt(next, now);
    if (!(await replaceSubscription(database, stored, { next, tier, now, event, ids }))) continue;
    log.info({ accountId: stored.accountId, tier, status: next.status }, "a subscription was updated");
    return;
  }
  throw new AppError("internal_error", "The subscription changed too often while it was stored. Send the event again.");
}

/**
 * Processes an event of the payment provider, once by its id and in any order. Irrelevant events are acknowledged too, so
 * that they are not sent again. Throws AppError bad_request for an invalid signature, and internal_error if the provider
 * does not respond, so that it retries the event.
 */
export async function receiveEvent(
  context: PurchaseContext,
  request: SignedRequest,
  payments: PaymentsSource = configuredPayments,
): Promise<EventReceipt> {
  const { id, type, created, ...rest } = verifyEvent(await payments(), request, context.clock.now());
  const subject = subjectOf({ id, type, created, ...rest });
  if (!subject || (await isEventRecorded(context.database, id))) return { received: true };
  const event: PaymentEvent = { id, type, createdAt: new Date(created * 1_000) };
  if ("sessionId" in subject) await fulfilCheckout(context, { ...subject, event }, payments);
  else await syncSubscription(context, { ...subject, event }, payments);
  return { received: true };
}
