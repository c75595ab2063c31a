import { z } from "zod";
import { AppError } from "#lib/platform/errors";
import { fulfilCheckout } from "./fulfil-checkout";
import type { PurchaseContext } from "./payments";
import { configuredPayments, type Payments, type PaymentsSource } from "./payments";
import type { EventReceipt } from "./schemas";
import { isEventTaken, type TakenEvent } from "./store";
import { syncSubscription } from "./sync-subscription";

/** Oldest signature that is taken, in seconds: a later copy of it is worth nothing. */
const toleranceS = 5 * 60;

const reference = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]);
const eventSchema = z.object({
  id: z.string().min(1).max(255),
  type: z.string(),
  created: z.int(),
  data: z.object({
    object: z.object({
      id: z.string().optional(),
      /** Where an invoice names its subscription, now and in older versions of the provider's interface. */
      parent: z.object({ subscription_details: z.object({ subscription: reference }).nullish() }).nullish(),
      subscription: reference.nullish().catch(null),
    }),
  }),
});
type PaymentEvent = z.infer<typeof eventSchema>;

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

type Given = { rawBody: Uint8Array; header: (name: string) => string | null };

/** The event of a request that the provider signed. Throws AppError bad_request. */
function verifyEvent({ stripe, webhookSecret }: Payments, { rawBody, header }: Given, now: Date): PaymentEvent {
  const signature = header("stripe-signature") ?? "";
  let event: unknown;
  try {
    const body = Buffer.from(rawBody);
    event = stripe.webhooks.constructEvent(body, signature, webhookSecret, toleranceS, undefined, now.getTime());
  } catch {
    // What is thrown carries the whole body, which belongs neither into an answer nor into the log.
    const message =
      "The signature of the event is missing, wrong, or older than 5 minutes. Check STRIPE_WEBHOOK_SECRET.";
    throw new AppError("bad_request", message);
  }
  const result = eventSchema.safeParse(event);
  if (!result.success) throw new AppError("bad_request", "The body is no event of the payment provider.");
  return result.data;
}

/** What an event is about. */
function subjectOf({
  type,
  data: { object },
}: PaymentEvent): { sessionId: string } | { subscriptionId: string } | null {
  const { id, parent, subscription } = object;
  if (checkoutEvents.has(type) && id) return { sessionId: id };
  if (subscriptionEvents.has(type) && id) return { subscriptionId: id };
  const subscriptionId = parent?.subscription_details?.subscription ?? subscription;
  return invoiceEvents.has(type) && subscriptionId ? { subscriptionId } : null;
}

/**
 * Takes in an event of the payment provider, once by its id and in any order. Events that are about nothing of ours are
 * received too, so that they are not sent again. Throws AppError bad_request for what the provider did not sign, and
 * internal_error where the provider could not be asked: it sends the event again then.
 */
export async function receiveEvent(
  context: PurchaseContext,
  given: Given,
  payments: PaymentsSource = configuredPayments,
): Promise<EventReceipt> {
  const { id, type, created, ...rest } = verifyEvent(await payments(), given, context.clock.now());
  const subject = subjectOf({ id, type, created, ...rest });
  if (!subject || (await isEventTaken(context.database, id))) return { received: true };
  const event: TakenEvent = { id, type, createdAt: new Date(created * 1_000) };
  if ("sessionId" in subject) await fulfilCheckout(context, { ...subject, event }, payments);
  else await syncSubscription(context, { ...subject, event }, payments);
  return { received: true };
}
