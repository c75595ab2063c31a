import type Stripe from "stripe";
import { storedMailbox } from "#lib/accounts/key-mail/index";
import { matchesNonce, readNonce } from "./browser-nonce";
import {
  configuredPayments,
  findAtProvider,
  type PaymentsSource,
  type PurchaseContext,
  type SoldTier,
} from "./payments";
import { sessionIdSchema } from "./schemas";
import { findCheckout, insertPurchase, type PaymentEvent, recordEvent } from "./store";
import { endedStatuses, failedSince, readSubscription, tierAt } from "./subscription-state";

/**
 * Outcome of a checkout. `open`: the payment page is not completed; `pending`: the payment has not arrived; `failed`: it
 * will not arrive; `unknown`: not a purchase of this service.
 */
export type CheckoutOutcome = "fulfilled" | "open" | "pending" | "failed" | "expired" | "unknown";

type PaidSession = Stripe.Checkout.Session & { subscription: Stripe.Subscription };

function isPaid(session: Stripe.Checkout.Session): session is PaidSession {
  const { status, payment_status: paymentStatus, subscription } = session;
  return (
    status === "complete" && paymentStatus !== "unpaid" && subscription !== null && typeof subscription === "object"
  );
}

function outcomeOfUnpaid({ status, subscription }: Stripe.Checkout.Session): CheckoutOutcome {
  if (status === "open") return "open";
  if (status === "expired") return "expired";
  const hasEnded =
    typeof subscription === "object" && subscription !== null && endedStatuses.includes(subscription.status);
  return hasEnded ? "failed" : "pending";
}

/**
 * Gives a paid checkout's account its tier, and creates the account unless a key bought for it. Idempotent, because both the
 * provider's events and the success page call it. The provider is asked whether it is paid. The event, if any, is recorded
 * whatever the outcome. Throws AppError internal_error.
 */
export async function fulfilCheckout(
  { database, clock, ids, log }: PurchaseContext,
  { sessionId, event }: { sessionId: string; event?: PaymentEvent },
  payments: PaymentsSource = configuredPayments,
): Promise<CheckoutOutcome> {
  const checkout = await findCheckout(database, { sessionId });
  if (!checkout) return "unknown";
  const provider = await payments();
  const session = await findAtProvider(() =>
    provider.stripe.checkout.sessions.retrieve(sessionId, { expand: ["subscription"] }),
  );
  const now = clock.now();
  if (!session || !isPaid(session)) {
    if (event) await recordEvent(database, event, now);
    return session ? outcomeOfUnpaid(session) : "unknown";
  }
  const subscription = readSubscription(session.subscription, provider.prices, {
    previous: null,
    failedSince: await failedSince(provider, session.subscription),
    boughtTier: checkout.tier as SoldTier,
    includes: event?.createdAt ?? new Date(session.created * 1_000),
    now,
  });
  const tier = tierAt(subscription, now);
  const mailboxHash = storedMailbox(session.customer_details?.email);
  const { id: checkoutId, buyerId } = checkout;
  const purchase = { checkoutId, buyerId, subscription, tier, mailboxHash, now, ids, event };
  const accountId = await insertPurchase(database, purchase);
  if (accountId) log.info({ accountId, tier, status: subscription.status }, "a purchase was fulfilled");
  if (accountId && buyerId && accountId !== buyerId) {
    const message = "an account that bought has another subscription or is gone, so the purchase created an account";
    log.warn({ buyerId, accountId, subscriptionId: subscription.id }, message);
  }
  return "fulfilled";
}

/**
 * State shown by the success page. `upgraded`: the account of the key that bought has the tier; `foreign`: paid, but this is not
 * the browser that started the purchase.
 */
export type PurchaseState = Exclude<CheckoutOutcome, "fulfilled"> | "ready" | "upgraded" | "foreign" | "revealed";

type PageContext = PurchaseContext & { origin: string };

/**
 * Returns the state of a purchase for the success page. Fulfils a paid purchase if no event has done so yet. Throws
 * AppError internal_error if the provider does not respond.
 */
export async function getPurchase(
  context: PageContext,
  { sessionId, cookieHeader }: { sessionId: string | undefined; cookieHeader: string | null },
  payments: PaymentsSource = configuredPayments,
): Promise<PurchaseState> {
  const id = sessionIdSchema.safeParse(sessionId);
  const find = () => (id.success ? findCheckout(context.database, { sessionId: id.data }) : null);
  let checkout = await find();
  if (!id.success || !checkout) return "unknown";
  if (!checkout.accountId) {
    const outcome = await fulfilCheckout(context, { sessionId: id.data }, payments);
    if (outcome !== "fulfilled") return outcome;
    checkout = (await find()) ?? checkout;
  }
  // An earlier version, during a deploy, creates an account also for a checkout with a buyer.
  if (checkout.buyerId !== null && checkout.accountId === checkout.buyerId) return "upgraded";
  if (checkout.revealedAt) return "revealed";
  return matchesNonce(readNonce(cookieHeader, context.origin), checkout.nonceHash) ? "ready" : "foreign";
}
