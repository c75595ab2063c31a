import type Stripe from "stripe";
import type { Caller } from "#lib/accounts/keys/index";
import { clientSubject, databaseStore } from "#lib/accounts/limits/index";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import { observer } from "#lib/platform/observer";
import { dayMs, hourMs } from "#lib/platform/time";
import { hashNonce, newNonce, nonceCookie, readNonce } from "./browser-nonce";
import { findPriceProblem } from "./check-prices";
import { fulfilCheckout } from "./fulfil-checkout";
import {
  accountMetadata,
  callProvider,
  configuredPayments,
  findAtProvider,
  type Payments,
  type PaymentsSource,
  type PurchaseContext,
  type SoldTier,
} from "./payments";
import { requireBuyer } from "./require-buyer";
import type { Checkout, Portal } from "./schemas";
import { findEarlierCheckout, insertCheckout, setCheckoutSession } from "./store";
import { findSubscription } from "./store-subscriptions";

/**
 * Returns the provider's page on which the customer of the calling key manages cards, invoices, tier and cancellation.
 * Throws AppError not_found for an account without a subscription or whose customer was deleted, and internal_error.
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
  const portal = await findAtProvider(() => stripe.billingPortal.sessions.create(params));
  if (!portal) {
    const message =
      "The payment provider no longer has the customer of this account, so there is nothing to manage. Buy a tier again on /pricing, or ask the operator.";
    throw new AppError("not_found", message);
  }
  return { url: portal.url };
}

type SessionOptions = { accountId: string; price: string; origin: string; cancelPath: string };

function sessionParams({ accountId, price, origin, cancelPath }: SessionOptions): Stripe.Checkout.SessionCreateParams {
  const metadata = { [accountMetadata]: accountId };
  return {
    mode: "subscription",
    line_items: [{ price, quantity: 1 }],
    client_reference_id: accountId,
    success_url: `${origin}/welcome?session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: `${origin}${cancelPath}`,
    expand: ["line_items"],
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

/** For how long a browser that has bought a tier cannot buy another one: it is likely a second tab. */
const secondPurchaseMs = hourMs;
/** The provider expires a checkout after this time. */
const maxOpenMs = dayMs;

/**
 * Expires the checkout that a browser has left open, so that it cannot pay twice. Throws AppError conflict if the browser has
 * bought a tier in the last hour, and internal_error.
 */
async function endEarlierCheckout(context: PurchaseContext, nonceHash: string, provider: Payments): Promise<void> {
  const { database, clock } = context;
  const nowMs = clock.now().getTime();
  const since = { bought: new Date(nowMs - secondPurchaseMs), begun: new Date(nowMs - maxOpenMs) };
  const earlier = await findEarlierCheckout(database, nonceHash, since);
  if (!earlier) return;
  const { sessionId, fulfilledAt, createdAt } = earlier;
  const outcome = fulfilledAt ? "fulfilled" : await fulfilCheckout(context, { sessionId }, async () => provider);
  if (outcome === "open") await callProvider(() => provider.stripe.checkout.sessions.expire(sessionId));
  if (outcome !== "fulfilled" && !(outcome === "pending" && createdAt > since.bought)) return;
  const message =
    "This browser has bought a tier in the last hour. To change it, open the portal on /key. To buy another one, wait an hour or use another browser.";
  throw new AppError("conflict", message);
}

/**
 * Starts a purchase for the account of the calling key, or without one for a new account: returns the provider's payment page,
 * and the cookie that identifies the browser when it returns. A browser with that cookie has one open checkout: an earlier one
 * expires. Throws AppError internal_error if payment is not configured, the provider does not respond or its price differs,
 * rate_limited if the client's network has started too many in this hour, and conflict if the browser has bought a tier in the
 * last one, or the account has a subscription or the tier.
 */
export async function createCheckout(
  context: CheckoutContext,
  { body: { tier }, header }: { body: { tier: SoldTier }; header: (name: string) => string | null },
  payments: PaymentsSource = configuredPayments,
): Promise<{ checkout: Checkout; cookie: string }> {
  const { database, clock, ids, log, origin, clientAddress, caller } = context;
  const provider = await payments();
  const { stripe, prices } = provider;
  const createdAt = clock.now();
  const buyerId = await requireBuyer({ database, caller }, { tier, now: createdAt });
  await requireCheckoutLeft({ database, clientAddress }, createdAt);
  const id = ids.next();
  const known = readNonce(header("cookie"), origin);
  if (known) await endEarlierCheckout(context, hashNonce(known), provider);
  const nonce = known ?? newNonce();
  await insertCheckout(database, { id, tier, nonceHash: hashNonce(nonce), buyerId, createdAt });
  const cancelPath = buyerId === null ? "/pricing/cancelled" : "/key";
  const params = sessionParams({ accountId: buyerId ?? id, price: prices[tier], origin, cancelPath });
  const session = await callProvider(() =>
    stripe.checkout.sessions.create(params, { idempotencyKey: `tapedeck-checkout-${id}` }),
  );
  const problem = findPriceProblem(tier, session.line_items?.data[0]?.price ?? null);
  if (problem) {
    log.warn({ reason: problem }, "refused a checkout whose price is not the one on /pricing");
    const message = `The operator has to correct the price of this tier, so nothing can be bought: ${problem}.`;
    throw new AppError("internal_error", message);
  }
  if (session.url === null) throw new AppError("internal_error", "The payment provider returned no payment page.");
  await setCheckoutSession(database, id, session.id);
  return { checkout: { url: session.url }, cookie: nonceCookie(nonce, origin) };
}
