export { billingEndpoints, getPricingEndpoint } from "./endpoints";
export { getPricing } from "./get-pricing";
export {
  type AccountTier,
  accountTiers,
  type ContractTier,
  contractTier,
  historyStart,
  type Plan,
  plans,
  reachesTier,
  unlimited,
} from "./plans";
export { requireTier } from "./require-tier";
export { contractTierSchema, type Pricing, type PricingConfig, pricingConfigSchema, pricingSchema } from "./schemas";
export { billingTools, getPricingTool } from "./tools";
