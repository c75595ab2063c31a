import { holdsNonce, readNonce } from "./browser-nonce";
import { type CheckoutOutcome, fulfilCheckout } from "./fulfil-checkout";
import type { PurchaseContext } from "./payments";
import { configuredPayments, type PaymentsSource } from "./payments";
import { sessionIdSchema } from "./schemas";
import { findCheckout } from "./store";

/** What the success page tells. `foreign`: paid, but this is not the browser that began it. */
export type PurchaseState = Exclude<CheckoutOutcome, "fulfilled"> | "ready" | "foreign" | "revealed";

type PageContext = Omit<PurchaseContext, "ids"> & { origin: string };

/**
 * How far a purchase is, for the page that the browser comes back to; a paid one is fulfilled by it, should no event have
 * done so. Throws AppError internal_error where the provider does not answer.
 */
export async function getPurchase(
  context: PageContext,
  { sessionId, cookieHeader }: { sessionId: string | undefined; cookieHeader: string | null },
  payments: PaymentsSource = configuredPayments,
): Promise<PurchaseState> {
  const id = sessionIdSchema.safeParse(sessionId);
  const checkout = id.success ? await findCheckout(context.database, { sessionId: id.data }) : null;
  if (!id.success || !checkout) return "unknown";
  if (checkout.revealedAt) return "revealed";
  const outcome = checkout.accountId ? "fulfilled" : await fulfilCheckout(context, { sessionId: id.data }, payments);
  if (outcome !== "fulfilled") return outcome;
  return holdsNonce(readNonce(cookieHeader, context.origin), checkout.nonceHash) ? "ready" : "foreign";
}
