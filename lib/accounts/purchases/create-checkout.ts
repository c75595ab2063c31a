import type Stripe from "stripe";
import { AppError } from "#lib/platform/errors";
import { hashNonce, newNonce, nonceCookie, readNonce } from "./browser-nonce";
import { callProvider, configuredPayments, type PaymentsSource, type PurchaseContext, type SoldTier } from "./payments";
import type { Checkout } from "./schemas";
import { insertCheckout, setCheckoutSession } from "./store";

/** Metadata key of the account id in the provider's objects. */
export const accountMetadata = "tapedeck_account";

function sessionParams(id: string, price: string, origin: string): Stripe.Checkout.SessionCreateParams {
  const metadata = { [accountMetadata]: id };
  return {
    mode: "subscription",
    line_items: [{ price, quantity: 1 }],
    client_reference_id: id,
    success_url: `${origin}/welcome?session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: `${origin}/pricing/cancelled`,
    metadata,
    subscription_data: { metadata },
  };
}

/**
 * Starts a purchase: returns the provider's payment page, and the cookie that identifies the browser when it returns.
 * Throws AppError internal_error if payment is not configured or the provider does not respond.
 */
export async function createCheckout(
  { database, clock, ids, origin }: PurchaseContext & { origin: string },
  { body: { tier }, header }: { body: { tier: SoldTier }; header: (name: string) => string | null },
  payments: PaymentsSource = configuredPayments,
): Promise<{ checkout: Checkout; cookie: string }> {
  const { stripe, prices } = await payments();
  const id = ids.next();
  // A browser keeps its nonce, so that two purchases in two tabs can both be completed.
  const nonce = readNonce(header("cookie"), origin) ?? newNonce();
  await insertCheckout(database, { id, tier, nonceHash: hashNonce(nonce), createdAt: clock.now() });
  const params = sessionParams(id, prices[tier], origin);
  const session = await callProvider(() =>
    stripe.checkout.sessions.create(params, { idempotencyKey: `tapedeck-checkout-${id}` }),
  );
  if (session.url === null) throw new AppError("internal_error", "The payment provider returned no payment page.");
  await setCheckoutSession(database, id, session.id);
  return { checkout: { url: session.url }, cookie: nonceCookie(nonce, origin) };
}
