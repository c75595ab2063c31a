import { AppError } from "#lib/platform/errors";
import { dayMs } from "#lib/platform/time";
import type { Pricing, PricingConfig } from "./schemas";

/** All tiers, from lowest to highest. Only an operator can assign the last two. */
export const accountTiers = ["free", "starter", "pro", "enterprise", "enterprise_plus"] as const;
export type AccountTier = (typeof accountTiers)[number];

/** A tier in API responses, whose highest value is `pro`. */
export type ContractTier = PricingConfig["tier"];

/** Value of a plan's numbers that means "no limit". */
export const unlimited = -1;

/** Price and features of a tier. */
export type Plan = {
  tier: AccountTier;
  monthlyPriceUsd: number;
  /** -1: unlimited. */
  requestsPerDay: number;
  vendorAccess: PricingConfig["vendor_access"];
  /** -1: unlimited. */
  historyDays: number;
  diffAccess: boolean;
  apiAccess: boolean;
  webhooks: boolean;
};

const paid = { diffAccess: true, apiAccess: true };
const custom = { ...paid, vendorAccess: "all-plus-custom", webhooks: true } as const;

/** The prices and limits of all tiers. */
export const plans: Readonly<Record<AccountTier, Plan>> = {
  free: {
    tier: "free",
    monthlyPriceUsd: 0,
    requestsPerDay: 100,
    vendorAccess: "public-5",
    historyDays: 7,
    diffAccess: false,
    apiAccess: false,
    webhooks: false,
  },
  starter: {
    ...paid,
    tier: "starter",
    monthlyPriceUsd: 29,
    requestsPerDay: 5_000,
    vendorAccess: "all",
    historyDays: 90,
    webhooks: false,
  },
  pro: { ...custom, tier: "pro", monthlyPriceUsd: 99, requestsPerDay: 50_000, historyDays: 365 },
  enterprise: { ...custom, tier: "enterprise", monthlyPriceUsd: 499, requestsPerDay: 500_000, historyDays: 730 },
  enterprise_plus: {
    ...custom,
    tier: "enterprise_plus",
    monthlyPriceUsd: 999,
    requestsPerDay: unlimited,
    historyDays: unlimited,
  },
};

/** Returns a tier for API responses, in which tiers above `pro` are `pro`. */
export function contractTier(tier: AccountTier): ContractTier {
  return tier === "free" || tier === "starter" ? tier : "pro";
}

/** Returns whether a tier is at least `minimum`. */
export function reachesTier(tier: AccountTier, minimum: AccountTier): boolean {
  return accountTiers.indexOf(tier) >= accountTiers.indexOf(minimum);
}

/** Returns the start of the history that a plan includes; null if it is unlimited. */
export function historyStart({ historyDays }: Plan, now: Date): Date | null {
  return historyDays === unlimited ? null : new Date(now.getTime() - historyDays * dayMs);
}

/** Throws AppError forbidden if a tool's caller is below the required tier. */
export function requireTier({ tier }: { tier: AccountTier }, minimum: "starter" | "pro"): void {
  if (reachesTier(tier, minimum)) return;
  const message = `This requires an API key of the ${minimum} tier or higher. Call get_pricing to compare the tiers.`;
  throw new AppError("forbidden", message);
}

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

/** Returns the public tiers, without those that only an operator can assign. */
export function getPricing(): Pricing {
  return { free: describePlan(plans.free), starter: describePlan(plans.starter), pro: describePlan(plans.pro) };
}
