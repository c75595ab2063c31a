import type Stripe from "stripe";
import type { Caller } from "#lib/accounts/keys/index";
import { clientSubject, databaseStore } from "#lib/accounts/limits/index";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { observer } from "#lib/platform/observer";
import { hourMs } from "#lib/platform/time";
import { hashNonce, newNonce, nonceCookie, readNonce } from "./browser-nonce";
import { callProvider, configuredPayments, type PaymentsSource, type PurchaseContext, type SoldTier } from "./payments";
import { requireBuyer } from "./require-buyer";
import type { Checkout, Portal } from "./schemas";
import { findSubscription, insertCheckout, setCheckoutSession } from "./store";

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
    const hint =
      context.caller.tier === "free"
        ? "POST /api/v1/payment/checkout with this key buys a tier for it."
        : "The operator assigned its tier.";
    throw new AppError("not_found", `The account of this key has no subscription. ${hint}`);
  }
  const params = { customer: subscription.customerId, return_url: `${context.origin}/key` };
  const { url } = await callProvider(() => stripe.billingPortal.sessions.create(params));
  return { url };
}

/** Metadata key of the account id in the provider's objects. */
export const accountMetadata = "tapedeck_account";

type SessionOptions = { accountId: string; price: string; origin: string; cancelPath: string };

function sessionParams({ accountId, price, origin, cancelPath }: SessionOptions): Stripe.Checkout.SessionCreateParams {
  const metadata = { [accountMetadata]: accountId };
  return {
    mode: "subscription",
    line_items: [{ price, quantity: 1 }],
    client_reference_id: accountId,
    success_url: `${origin}/welcome?session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: `${origin}${cancelPath}`,
    metadata,
    subscription_data: { metadata },
  };
}

/** Most checkouts that one client network can start in an hour, which starts at minute 0. */
export const maxCheckoutsPerHour = 10;

type ClientContext = { database: Database; clientAddress: () => string | null };
type CheckoutContext = PurchaseContext & ClientContext & { origin: string; caller: Caller };

/** Counts a checkout of the client's network. Throws AppError rate_limited with `Retry-After`. */
async function requireCheckoutLeft({ database, clientAddress }: ClientContext, now: Date): Promise<void> {
  const hourEndMs = (Math.floor(now.getTime() / hourMs) + 1) * hourMs;
  const subject = `checkout:${now.getUTCHours()}:${clientSubject(clientAddress(), now)}`;
  const { allowed } = await databaseStore(database).take(subject, maxCheckoutsPerHour, now);
  if (allowed) return;
  observer()?.refused("checkout");
  const message = `Your network has started ${maxCheckoutsPerHour} checkouts in this hour, which is the limit. Try again after ${new Date(hourEndMs).toISOString()}.`;
  const seconds = Math.max(1, Math.ceil((hourEndMs - now.getTime()) / 1_000));
  throw new AppError("rate_limited", message, { headers: { "Retry-After": String(seconds) } });
}

/**
 * Starts a purchase for the account of the calling key, or without one for a new account: returns the provider's payment page,
 * and the cookie that identifies the browser when it returns. Throws AppError internal_error if payment is not configured or
 * the provider does not respond, conflict for an account that has a subscription or the tier, and rate_limited if the client's
 * network has started too many in this hour.
 */
export async function createCheckout(
  { database, clock, ids, origin, clientAddress, caller }: CheckoutContext,
  { body: { tier }, header }: { body: { tier: SoldTier }; header: (name: string) => string | null },
  payments: PaymentsSource = configuredPayments,
): Promise<{ checkout: Checkout; cookie: string }> {
  const { stripe, prices } = await payments();
  const createdAt = clock.now();
  const buyerId = await requireBuyer({ database, caller }, { tier, now: createdAt });
  await requireCheckoutLeft({ database, clientAddress }, createdAt);
  const id = ids.next();
  // A browser keeps its nonce, so that two purchases in two tabs can both be completed.
  const nonce = readNonce(header("cookie"), origin) ?? newNonce();
  await insertCheckout(database, { id, tier, nonceHash: hashNonce(nonce), buyerId, createdAt });
  const cancelPath = buyerId === null ? "/pricing/cancelled" : "/key";
  const params = sessionParams({ accountId: buyerId ?? id, price: prices[tier], origin, cancelPath });
  const session = await callProvider(() =>
    stripe.checkout.sessions.create(params, { idempotencyKey: `tapedeck-checkout-${id}` }),
  );
  if (session.url === null) throw new AppError("internal_error", "The payment provider returned no payment page.");
  await setCheckoutSession(database, id, session.id);
  return { checkout: { url: session.url }, cookie: nonceCookie(nonce, origin) };
}
