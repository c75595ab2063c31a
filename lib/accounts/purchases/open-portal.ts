import type { Caller } from "#lib/accounts/keys/index";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { callProvider, configuredPayments, type PaymentsSource } from "./payments";
import type { Portal } from "./schemas";
import { findSubscription } from "./store";

/**
 * Returns the provider's page on which the customer of the calling key manages cards, invoices, tier and cancellation.
 * Throws AppError not_found for an account without a subscription, and internal_error.
 */
export async function openPortal(
  context: { database: Database; caller: Caller; origin: string },
  _input: unknown,
  payments: PaymentsSource = configuredPayments,
): Promise<Portal> {
  const { stripe } = await payments();
  const { accountId } = context.caller;
  const subscription = accountId === null ? null : await findSubscription(context.database, { accountId });
  if (!subscription) {
    throw new AppError("not_found", "The account of this key has no subscription: the key was issued by the operator.");
  }
  const params = { customer: subscription.customerId, return_url: `${context.origin}/` };
  const { url } = await callProvider(() => stripe.billingPortal.sessions.create(params));
  return { url };
}
