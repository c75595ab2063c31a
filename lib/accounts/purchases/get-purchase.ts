import { matchesNonce, readNonce } from "./browser-nonce";
import { type CheckoutOutcome, fulfilCheckout } from "./fulfil-checkout";
import type { PurchaseContext } from "./payments";
import { configuredPayments, type PaymentsSource } from "./payments";
import { sessionIdSchema } from "./schemas";
import { findCheckout } from "./store";

/** State shown by the success page. `foreign`: paid, but this is not the browser that started the purchase. */
export type PurchaseState = Exclude<CheckoutOutcome, "fulfilled"> | "ready" | "foreign" | "revealed";

type PageContext = Omit<PurchaseContext, "ids"> & { origin: string };

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
  const checkout = id.success ? await findCheckout(context.database, { sessionId: id.data }) : null;
  if (!id.success || !checkout) return "unknown";
  if (checkout.revealedAt) return "revealed";
  const outcome = checkout.accountId ? "fulfilled" : await fulfilCheckout(context, { sessionId: id.data }, payments);
  if (outcome !== "fulfilled") return outcome;
  return matchesNonce(readNonce(cookieHeader, context.origin), checkout.nonceHash) ? "ready" : "foreign";
}
