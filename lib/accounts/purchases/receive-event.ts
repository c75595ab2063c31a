import * as z from "zod";
import type { Clock } from "#lib/platform/clock";
import { AppError } from "#lib/platform/errors";
import { observer } from "#lib/platform/observer";
import { perObject } from "#lib/platform/per-object";
import { minuteMs } from "#lib/platform/time";
import { fulfilCheckout } from "./fulfil-checkout";
import { configuredPayments, type Payments, type PaymentsSource, type PurchaseContext } from "./payments";
import type { EventReceipt } from "./schemas";
import { findCheckout, isEventRecorded, type PaymentEvent, recordEvent } from "./store";
import { findSubscriptionIds } from "./store-subscriptions";
import { problemTexts, type SyncResult, syncSubscription } from "./sync-subscription";

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

const checkoutTypes = [
  "checkout.session.completed",
  "checkout.session.async_payment_succeeded",
  "checkout.session.async_payment_failed",
] as const;
const subscriptionTypes = [
  "customer.subscription.created",
  "customer.subscription.updated",
  "customer.subscription.deleted",
] as const;
const checkoutEvents = new Set<string>(checkoutTypes);
const subscriptionEvents = new Set<string>(subscriptionTypes);
const invoiceEvents = new Set(["invoice.paid", "invoice.payment_failed"]);

/** The types of which each event is recorded. */
export const recordedTypes = [...checkoutTypes, ...subscriptionTypes];

type SignedRequest = { rawBody: Uint8Array; header: (name: string) => string | null };

/** Returns why a signature is not valid. The thrown error contains the whole body, which must not reach a response or the log. */
function reasonOf(thrown: unknown): string {
  const isOld = thrown instanceof Error && thrown.message.includes("tolerance");
  return isOld
    ? "the signature is older than 5 minutes: check this machine's clock"
    : "the signature is of another secret: check STRIPE_WEBHOOK_SECRET";
}

/** Verifies the signature of a request and returns its event. Throws AppError bad_request, whose cause says why. */
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
  } catch (thrown) {
    const message =
      "The signature of the event is missing, wrong, or older than 5 minutes. Check STRIPE_WEBHOOK_SECRET.";
    throw new AppError("bad_request", message, { cause: new Error(reasonOf(thrown)) });
  }
  const result = eventSchema.safeParse(event);
  if (result.success) return result.data;
  const cause = new Error("the body is not an event");
  throw new AppError("bad_request", "The body is not an event of the payment provider.", { cause });
}

/** When a rejected event was last logged, on the monotonic clock. */
const lastLogOf = perObject((_clock: Clock) => ({ atMs: Number.NEGATIVE_INFINITY }));

/**
 * Verifies a request as `verifyEvent` does, and counts it. Logs why one was rejected, at most once a minute, because anybody
 * can send some; requests without a signature do not count as events.
 */
function acceptEvent({ clock, log }: PurchaseContext, provider: Payments, request: SignedRequest): ProviderEvent {
  try {
    const event = verifyEvent(provider, request, clock.now());
    observer()?.paymentEvent("accepted");
    return event;
  } catch (error) {
    if (request.header("stripe-signature") === null) throw error;
    observer()?.paymentEvent("rejected");
    const last = lastLogOf(clock);
    if (clock.monotonicMs() - last.atMs >= minuteMs) {
      last.atMs = clock.monotonicMs();
      const { message: reason } = (error as AppError).cause as Error;
      log.warn({ reason }, "rejected an event of the payment provider");
    }
    throw error;
  }
}

/** The object that an event concerns. The subscription of a checkout is null until it is completed. */
type Subject =
  | { sessionId: string; subscriptionId: string | null }
  | { subscriptionId: string }
  | { customerId: string };

/** Returns the object that an event concerns; null for irrelevant events. */
function subjectOf({ type, data: { object } }: ProviderEvent): Subject | null {
  const { id, parent, subscription } = object;
  if (checkoutEvents.has(type) && id) return { sessionId: id, subscriptionId: subscription ?? null };
  if (subscriptionEvents.has(type) && id) return { subscriptionId: id };
  if (type === "customer.updated" && id) return { customerId: id };
  const subscriptionId = parent?.subscription_details?.subscription ?? subscription;
  return invoiceEvents.has(type) && subscriptionId ? { subscriptionId } : null;
}

type Received = { subject: Subject; event: PaymentEvent };

async function processEvent(context: PurchaseContext, { subject, event }: Received, provider: Payments): Promise<void> {
  const { database, clock } = context;
  if ("customerId" in subject) {
    for (const subscriptionId of await findSubscriptionIds(database, subject.customerId))
      await syncSubscription(context, { subscriptionId, withCustomer: true }, provider);
    await recordEvent(database, event, clock.now());
    return;
  }
  const { subscriptionId } = subject;
  const sessionId = "sessionId" in subject ? subject.sessionId : null;
  // Without its checkout, as in a restored database, a purchase is known by its subscription.
  if (subscriptionId !== null && (sessionId === null || !(await findCheckout(database, { sessionId })))) {
    const result = await syncSubscription(context, { subscriptionId, event }, provider);
    reportProblem(context, result, { subscriptionId, event });
    return;
  }
  const outcome = sessionId && (await fulfilCheckout(context, { sessionId, event }, async () => provider));
  if (outcome === "unknown") await recordEvent(database, event, clock.now());
}

/** Logs what an event could not change; subscriptions that were not bought here, and unpaid ones, are no warnings. */
function reportProblem(
  { log }: PurchaseContext,
  { accountId, problem }: SyncResult,
  { subscriptionId, event }: { subscriptionId: string; event: PaymentEvent },
): void {
  if (!problem) return;
  const level = problem === "foreign" || problem === "inactive" ? "info" : "warn";
  const fields = { event: event.type, subscriptionId, accountId, reason: problemTexts[problem] };
  log[level](fields, "an event of the payment provider did not set a tier");
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
  const { database } = context;
  const provider = await payments();
  const { id, type, created, ...rest } = acceptEvent(context, provider, request);
  const subject = subjectOf({ id, type, created, ...rest });
  if (!subject || (await isEventRecorded(database, id))) return { received: true };
  await processEvent(context, { subject, event: { id, type, createdAt: new Date(created * 1_000) } }, provider);
  return { received: true };
}
