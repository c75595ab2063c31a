import type Stripe from "stripe";
import type { AccountTier } from "#lib/accounts/plans/index";
import { dayMs } from "#lib/platform/time";
import { askProvider, type Payments, type SoldTier } from "./payments";

/** How long a tier is kept after a payment failed. */
export const graceMs = 7 * dayMs;

/** What an account pays for, as it is stored. */
export type SubscriptionState = {
  id: string;
  customerId: string;
  tier: SoldTier;
  /** The provider's word. */
  status: string;
  /** Whether it ends at `currentPeriodEnd`. */
  cancelAtPeriodEnd: boolean;
  currentPeriodEnd: Date | null;
  /** Until when the tier is kept although a payment failed. */
  graceUntil: Date | null;
  /** The state is at least as new as this moment of the provider's. */
  stateAt: Date;
};

const paidStatuses = new Set(["active", "trialing"]);
const failingStatuses = new Set(["past_due", "unpaid"]);

const dateOf = (seconds: number) => new Date(seconds * 1_000);
const idOf = (reference: string | { id: string }) => (typeof reference === "string" ? reference : reference.id);

function isSoldTier(value: unknown): value is SoldTier {
  return value === "starter" || value === "pro";
}

/** A price that is not sold any more says its tier in its metadata. */
function tierOfPrice(price: Stripe.Price | undefined, prices: Record<SoldTier, string>): SoldTier | undefined {
  if (price?.id === prices.starter) return "starter";
  if (price?.id === prices.pro) return "pro";
  return isSoldTier(price?.metadata?.tier) ? price.metadata.tier : undefined;
}

/** Whether a payment failed and may still arrive. */
export function isFailing(status: string): boolean {
  return failingStatuses.has(status);
}

type Past = {
  /** What was stored before; null for a new purchase. */
  previous: { tier: AccountTier; graceUntil: Date | null; stateAt: Date } | null;
  /** What was bought, where the price does not say. */
  boughtTier: SoldTier;
  /** Since when payments fail; null where they do not, or nobody knows. */
  failedSince: Date | null;
  /** A moment of the provider's that the state includes. */
  includes: Date;
  now: Date;
};

function endOfGrace({ failedSince, previous, now }: Past): Date {
  if (!failedSince && previous?.graceUntil) return previous.graceUntil;
  return new Date((failedSince ?? now).getTime() + graceMs);
}

/** The provider's subscription as it is to be stored. */
export function readSubscription(
  given: Stripe.Subscription,
  prices: Record<SoldTier, string>,
  past: Past,
): SubscriptionState {
  const { previous, boughtTier, includes } = past;
  const item = given.items.data[0];
  const fallback = isSoldTier(previous?.tier) ? previous.tier : boughtTier;
  // Cancelled in the provider's portal, a subscription can have a day of its own to end on.
  const end = given.cancel_at ?? item?.current_period_end ?? null;
  return {
    id: given.id,
    customerId: idOf(given.customer),
    tier: tierOfPrice(item?.price, prices) ?? fallback,
    status: given.status,
    cancelAtPeriodEnd: given.cancel_at_period_end || given.cancel_at !== null,
    currentPeriodEnd: end === null ? null : dateOf(end),
    graceUntil: isFailing(given.status) ? endOfGrace(past) : null,
    stateAt: previous && previous.stateAt > includes ? previous.stateAt : includes,
  };
}

/** The tier that a subscription gives at a moment: what was bought, or free. */
export function tierAt(state: SubscriptionState, now: Date): SoldTier | "free" {
  const { status, tier, graceUntil, cancelAtPeriodEnd, currentPeriodEnd } = state;
  const hasEnded = cancelAtPeriodEnd && currentPeriodEnd !== null && currentPeriodEnd <= now;
  if (hasEnded) return "free";
  if (paidStatuses.has(status)) return tier;
  return isFailing(status) && graceUntil !== null && graceUntil > now ? tier : "free";
}

/** Most open invoices of a subscription that are looked through, the newest: eight years of months. */
const maxInvoiceCount = 100;

/**
 * Since when a subscription's payments fail: its oldest open invoice was tried when it was made final. Asked of the
 * provider rather than remembered, so that it does not depend on the order in which events came. Null where nothing
 * fails. Throws AppError internal_error.
 */
export async function failedSince({ stripe }: Payments, given: Stripe.Subscription): Promise<Date | null> {
  if (!isFailing(given.status)) return null;
  const { data: invoices } = await askProvider(() =>
    stripe.invoices.list({ subscription: given.id, status: "open", limit: maxInvoiceCount }),
  );
  const times = invoices.map(
    ({ status_transitions: { finalized_at: finalizedAt }, created }) => finalizedAt ?? created,
  );
  return times.length === 0 ? null : new Date(Math.min(...times) * 1_000);
}
