import type Stripe from "stripe";
import { z } from "zod";
import { AppError } from "#lib/platform/errors";
import { accountMetadata } from "./create-checkout";
import { fulfilCheckout } from "./fulfil-checkout";
import type { PurchaseContext } from "./payments";
import { configuredPayments, findAtProvider, type PaymentsSource, type SoldTier } from "./payments";
import { findCheckout, findSubscription, replaceSubscription, type TakenEvent, takeEvent } from "./store";
import { failedSince, readSubscription, tierAt } from "./subscription-state";

/** How often a state is asked for anew because another event was faster. */
const maxAttemptCount = 5;

type Context = Omit<PurchaseContext, "ids">;

/** Whether a subscription that is not stored belongs to a purchase that is paid, and so is stored now. */
async function isPurchase(context: Context, { metadata }: Stripe.Subscription, payments: PaymentsSource) {
  const id = z.uuid().safeParse(metadata[accountMetadata]);
  const checkout = id.success ? await findCheckout(context.database, { id: id.data }) : null;
  if (!checkout?.sessionId) return false;
  return (await fulfilCheckout(context, { sessionId: checkout.sessionId }, payments)) === "fulfilled";
}

/**
 * Stores a subscription as the provider has it now. The event only says that something changed: what it carries may be
 * old, so the state is asked for, and an event older than the state that is stored changes nothing. One about a
 * subscription that is not paid yet needs nothing either, for its fulfilment asks too. Throws AppError internal_error.
 */
export async function syncSubscription(
  context: Context,
  { subscriptionId, event }: { subscriptionId: string; event: TakenEvent },
  payments: PaymentsSource = configuredPayments,
): Promise<void> {
  const { database, clock, log } = context;
  const provider = await payments();
  for (let attempt = 0; attempt < maxAttemptCount; attempt += 1) {
    const seen = await findSubscription(database, { id: subscriptionId });
    const isOld = seen !== null && event.createdAt < seen.stateAt;
    const given = isOld ? null : await findAtProvider(() => provider.stripe.subscriptions.retrieve(subscriptionId));
    const now = clock.now();
    if (!given || (!seen && !(await isPurchase(context, given, payments)))) {
      await takeEvent(database, event, now);
      return;
    }
    if (!seen) continue;
    const next = readSubscription(given, provider.prices, {
      previous: seen,
      boughtTier: seen.tier as SoldTier,
      failedSince: await failedSince(provider, given),
      includes: event.createdAt,
      now,
    });
    const tier = tierAt(next, now);
    if (!(await replaceSubscription(database, seen, { next, tier, now, event }))) continue;
    log.info({ accountId: seen.accountId, tier, status: next.status }, "a subscription was updated");
    return;
  }
  throw new AppError("internal_error", "The subscription changes too fast to be followed. Send the event again.");
}
