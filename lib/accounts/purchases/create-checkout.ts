import type Stripe from "stripe";
import { AppError } from "#lib/platform/errors";
import { hashNonce, newNonce, nonceCookie, readNonce } from "./browser-nonce";
import type { PurchaseContext } from "./payments";
import { askProvider, configuredPayments, type PaymentsSource, type SoldTier } from "./payments";
import type { Checkout } from "./schemas";
import { insertCheckout, setCheckoutSession } from "./store";

/** Name of the account's id in the metadata of what the provider keeps. */
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
 * Begins a purchase: the provider's page to pay on, and the cookie by which the browser is known that comes back. Throws
 * AppError internal_error where payment is not configured, or the provider does not answer.
 */
export async function createCheckout(
  { database, clock, ids, origin }: PurchaseContext & { origin: string },
  { body: { tier }, header }: { body: { tier: SoldTier }; header: (name: string) => string | null },
  payments: PaymentsSource = configuredPayments,
): Promise<{ checkout: Checkout; cookie: string }> {
  const { stripe, prices } = await payments();
  const id = ids.next();
  // A browser keeps its nonce, so that of two purchases in two tabs both can be finished.
  const nonce = readNonce(header("cookie"), origin) ?? newNonce();
  await insertCheckout(database, { id, tier, nonceHash: hashNonce(nonce), createdAt: clock.now() });
  const params = sessionParams(id, prices[tier], origin);
  const session = await askProvider(() =>
    stripe.checkout.sessions.create(params, { idempotencyKey: `tapedeck-checkout-${id}` }),
  );
  if (session.url === null) throw new AppError("internal_error", "The payment provider gave no page to pay on.");
  await setCheckoutSession(database, id, session.id);
  return { checkout: { url: session.url }, cookie: nonceCookie(nonce, origin) };
}
