import type Stripe from "stripe";
import { askProvider } from "./ask-provider";
import type { Payments } from "./payments";
import { isFailing } from "./subscription-state";

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
