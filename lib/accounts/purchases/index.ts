export { createCheckout, openPortal } from "./create-checkout";
export {
  createCheckoutEndpoint,
  openPortalEndpoint,
  purchaseEndpoints,
  receiveEventEndpoint,
  revealKeyEndpoint,
} from "./endpoints";
export { fulfilCheckout, getPurchase, type PurchaseState } from "./fulfil-checkout";
export {
  connectPayments,
  isPaymentConfigured,
  type Payments,
  type PaymentsSource,
  type SoldTier,
  soldTiers,
} from "./payments";
export { receiveEvent } from "./receive-event";
export { isFormBody, parseRevealRequest, revealKey } from "./reveal-key";
export type { RevealedKey } from "./schemas";
export { prunePurchases, settleSubscriptions, settleVendors } from "./store";
