export { createCheckout } from "./create-checkout";
export {
  createCheckoutEndpoint,
  openPortalEndpoint,
  purchaseEndpoints,
  receiveEventEndpoint,
  revealKeyEndpoint,
} from "./endpoints";
export { prunePurchases, settleSubscriptions } from "./expire-purchases";
export { fulfilCheckout } from "./fulfil-checkout";
export { getPurchase, type PurchaseState } from "./get-purchase";
export { openPortal } from "./open-portal";
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
