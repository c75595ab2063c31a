export { createCheckout } from "./create-checkout";
export {
  createCheckoutEndpoint,
  openPortalEndpoint,
  purchaseEndpoints,
  receiveEventEndpoint,
  revealKeyEndpoint,
} from "./endpoints";
export { fulfilCheckout } from "./fulfil-checkout";
export { getPurchase, type PurchaseState } from "./get-purchase";
export { isSelling } from "./is-selling";
export { openPortal } from "./open-portal";
export { connectPayments, type Payments, type PaymentsSource, type SoldTier, soldTiers } from "./payments";
export { prunePurchases } from "./prune-purchases";
export { receiveEvent } from "./receive-event";
export { revealKey } from "./reveal-key";
export { isFormBody, parseRevealRequest } from "./reveal-request";
export type { RevealedKey } from "./schemas";
export { settleSubscriptions } from "./settle-subscriptions";
