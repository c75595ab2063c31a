export { anonymousCaller, type CallContext, type Caller } from "./caller";
export { getPricingEndpoint, planEndpoints } from "./endpoints";
export {
  type AccountTier,
  accountTiers,
  type ContractTier,
  contractTier,
  getPricing,
  historyStart,
  type Plan,
  plans,
  reachesTier,
  requireTier,
  unlimited,
} from "./plans";
export { contractTierSchema, pricingSchema } from "./schemas";
export { hasSubscriptionEnded } from "./subscription-ended";
export { planTools } from "./tools";
