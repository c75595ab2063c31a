import { contractTier, type Plan, plans } from "./plans";
import type { Pricing, PricingConfig } from "./schemas";

function describePlan(plan: Plan): PricingConfig {
  return {
    tier: contractTier(plan.tier),
    monthly_price_usd: plan.monthlyPriceUsd,
    requests_per_day: plan.requestsPerDay,
    vendor_access: plan.vendorAccess,
    history_days: plan.historyDays,
    diff_access: plan.diffAccess,
    api_access: plan.apiAccess,
    webhooks: plan.webhooks,
  };
}

/** The tiers that anyone can have; those that an operator issues are not listed. */
export function getPricing(): Pricing {
  return { free: describePlan(plans.free), starter: describePlan(plans.starter), pro: describePlan(plans.pro) };
}
