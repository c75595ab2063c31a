import type Stripe from "stripe";
import { z } from "zod";
import { AppError } from "#lib/platform/errors";
import { accountMetadata } from "./create-checkout";
import { fulfilCheckout } from "./fulfil-checkout";
import type { PurchaseContext } from "./payments";
import { configuredPayments, findAtProvider, type PaymentsSource, type SoldTier } from "./payments";
import { findCheckout, findSubscription, type PaymentEvent, recordEvent, replaceSubscription } from "./store";
import { failedSince, readSubscription, tierAt } from "./subscription-state";

/** Most attempts to store a state while concurrent events change it. */
const maxAttemptCount = 5;

type Context = Omit<PurchaseContext, "ids">;

/** Fulfils the purchase of a subscription that is not stored yet; returns whether it was paid. */
async function fulfilPurchaseOf(context: Context, { metadata }: Stripe.Subscription, payments: PaymentsSource) {
  const id = z.uuid().safeParse(metadata[accountMetadata]);
  const checkout = id.success ? await findCheckout(context.database, { id: id.data }) : null;
  if (!checkout?.sessionId) return false;
  return (await fulfilCheckout(context, { sessionId: checkout.sessionId }, payments)) === "fulfilled";
}

/**
 * Stores the current state of a subscription at the provider. The event only tells that something changed: its content may
 * be outdated, so the state is fetched. An event older than the stored state changes nothing, nor does one of a
 * subscription that is not paid yet, because its fulfilment fetches the state too. Throws AppError internal_error.
 */
export async function syncSubscription(
  context: Context,
  { subscriptionId, event }: { subscriptionId: string; event: PaymentEvent },
  payments: PaymentsSource = configuredPayments,
): Promise<void> {
  const { database, clock, log } = context;
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
    if (!(await replaceSubscription(database, stored, { next, tier, now, event }))) continue;
    log.info({ accountId: stored.accountId, tier, status: next.status }, "a subscription was updated");
    return;
  }
  throw new AppError("internal_error", "The subscription changed too often while it was stored. Send the event again.");
}
