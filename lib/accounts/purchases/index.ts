export { checkEvents } from "./check-events";
export { checkPrices } from "./check-prices";
export { createCheckout, openPortal } from "./create-checkout";
export {
  createCheckoutEndpoint,
  openPortalEndpoint,
  purchaseEndpoints,
  receiveEventEndpoint,
  revealKeyEndpoint,
} from "./endpoints";
export { getPurchase, type PurchaseState } from "./fulfil-checkout";
export { connectPayments, isPaymentConfigured, type Payments, type SoldTier, soldTiers } from "./payments";
export { receiveEvent } from "./receive-event";
export { isFormBody, parseRevealRequest, revealKey } from "./reveal-key";
export type { RevealedKey } from "./schemas";
export { setTier } from "./set-tier";
export { prunePurchases, settleVendors } from "./store";
export { settleSubscriptions } from "./store-subscriptions";
export { problemTexts } from "./sync-subscription";
export { checkOverdueSubscriptions, type SyncedSubscription, syncSubscriptions } from "./sync-subscriptions";
