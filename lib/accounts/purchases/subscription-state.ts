import type Stripe from "stripe";
import type { AccountTier } from "#lib/accounts/plans/index";
import { dayMs } from "#lib/platform/time";
import { callProvider, type Payments, type SoldTier } from "./payments";

/** How long a tier is kept after a failed payment. */
const graceMs = 7 * dayMs;

/** State of a subscription, as it is stored. */
export type SubscriptionState = {
  id: string;
  customerId: string;
  tier: SoldTier;
  /** Status at the provider. */
  status: string;
  /** Whether the subscription ends at `currentPeriodEnd`. */
  cancelAtPeriodEnd: boolean;
  currentPeriodEnd: Date | null;
  /** End of the grace period after a failed payment; null without one. */
  graceUntil: Date | null;
  /** The state includes all changes up to this time of the provider. */
  stateAt: Date;
};

const paidStatuses = new Set(["active", "trialing"]);
const failingStatuses = new Set(["past_due", "unpaid"]);

const dateOf = (seconds: number) => new Date(seconds * 1_000);
/** Returns the id of an object that the provider may have expanded. */
export const idOf = (reference: string | { id: string }) => (typeof reference === "string" ? reference : reference.id);

function isSoldTier(value: unknown): value is SoldTier {
  return value === "starter" || value === "pro";
}

/** Returns the tier of a subscription's price; a price that is no longer sold has it in its metadata. */
export function tierOfPrice({ items }: Stripe.Subscription, prices: Record<SoldTier, string>): SoldTier | undefined {
  const price = items.data[0]?.price;
  if (price?.id === prices.starter) return "starter";
  if (price?.id === prices.pro) return "pro";
  return isSoldTier(price?.metadata?.tier) ? price.metadata.tier : undefined;
}

/** Returns whether a payment has failed but may still arrive. */
function isFailing(status: string): boolean {
  return failingStatuses.has(status);
}

/** Statuses of subscriptions that have ended for good. */
export const endedStatuses = ["incomplete_expired", "canceled"];

/** Returns whether a subscription is paid, or may still be. */
export function isLiving({ status }: { status: string }): boolean {
  return paidStatuses.has(status) || isFailing(status);
}

type Past = {
  /** Previously stored state; null for a new purchase. */
  previous: { tier: AccountTier; graceUntil: Date | null; stateAt: Date } | null;
  /** The bought tier, used if the price does not identify one. */
  boughtTier: SoldTier;
  /** Since when payments fail; null if they do not, or if it is unknown. */
  failedSince: Date | null;
  /** Time of the provider up to which the state includes all changes. */
  includes: Date;
  now: Date;
};

function endOfGrace({ failedSince, previous, now }: Past): Date {
  if (!failedSince && previous?.graceUntil) return previous.graceUntil;
  return new Date((failedSince ?? now).getTime() + graceMs);
}

/** Converts the provider's subscription to the stored state. */
export function readSubscription(
  subscription: Stripe.Subscription,
  prices: Record<SoldTier, string>,
  past: Past,
): SubscriptionState {
  const { previous, boughtTier, includes } = past;
  const item = subscription.items.data[0];
  const fallback = isSoldTier(previous?.tier) ? previous.tier : boughtTier;
  // A subscription cancelled in the provider's portal may end on a date other than the end of its period.
  const end = subscription.cancel_at ?? item?.current_period_end ?? null;
  return {
    id: subscription.id,
    customerId: idOf(subscription.customer),
    tier: tierOfPrice(subscription, prices) ?? fallback,
    status: subscription.status,
    cancelAtPeriodEnd: subscription.cancel_at_period_end || subscription.cancel_at !== null,
    currentPeriodEnd: end === null ? null : dateOf(end),
    graceUntil: isFailing(subscription.status) ? endOfGrace(past) : null,
    stateAt: previous && previous.stateAt > includes ? previous.stateAt : includes,
  };
}

/** Returns the tier of a subscription at a point in time: the bought one, or free. */
export function tierAt<Tier extends AccountTier>(
  state: Omit<SubscriptionState, "tier"> & { tier: Tier },
  now: Date,
): Tier | "free" {
  const { status, tier, graceUntil, cancelAtPeriodEnd, currentPeriodEnd } = state;
  const hasEnded = cancelAtPeriodEnd && currentPeriodEnd !== null && currentPeriodEnd <= now;
  if (hasEnded) return "free";
  if (paidStatuses.has(status)) return tier;
  return isFailing(status) && graceUntil !== null && graceUntil > now ? tier : "free";
}

/** Most open invoices considered, newest first: eight years of monthly invoices. */
const maxInvoiceCount = 100;

/**
 * Returns since when a subscription's payments fail: since its oldest open invoice was finalized, which is when payment
 * was first attempted. It is requested from the provider rather than stored, so that it does not depend on the order of
 * events. Null if no payment fails. Throws AppError internal_error.
 */
export async function failedSince({ stripe }: Payments, subscription: Stripe.Subscription): Promise<Date | null> {
  if (!isFailing(subscription.status)) return null;
  const { data: invoices } = await callProvider(() =>
    stripe.invoices.list({ subscription: subscription.id, status: "open", limit: maxInvoiceCount }),
  );
  const times = invoices.map(
    ({ status_transitions: { finalized_at: finalizedAt }, created }) => finalizedAt ?? created,
  );
  return times.length === 0 ? null : new Date(Math.min(...times) * 1_000);
}
