import { AppError } from "#lib/platform/errors";
import { dayMs } from "#lib/platform/time";
import type { Pricing, PricingConfig } from "./schemas";

/** Every tier, from the lowest to the highest. The last two are issued by an operator alone. */
export const accountTiers = ["free", "starter", "pro", "enterprise", "enterprise_plus"] as const;
export type AccountTier = (typeof accountTiers)[number];

/** A tier as the contract's enums have it. */
export type ContractTier = PricingConfig["tier"];

/** Stands for "no limit" in a plan's numbers. */
export const unlimited = -1;

/** What a tier includes. */
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

/** The one table of prices and limits. */
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

/** A tier in a field whose enum ends at `pro`. */
export function contractTier(tier: AccountTier): ContractTier {
  return tier === "free" || tier === "starter" ? tier : "pro";
}

/** Whether a tier includes what `minimum` includes. */
export function reachesTier(tier: AccountTier, minimum: AccountTier): boolean {
  return accountTiers.indexOf(tier) >= accountTiers.indexOf(minimum);
}

/** The oldest moment whose history a plan shows; null where it shows all. */
export function historyStart({ historyDays }: Plan, now: Date): Date | null {
  return historyDays === unlimited ? null : new Date(now.getTime() - historyDays * dayMs);
}

/** Throws AppError forbidden where a tool's caller is below the tier that it is for. */
export function requireTier({ tier }: { tier: AccountTier }, minimum: "starter" | "pro"): void {
  if (reachesTier(tier, minimum)) return;
  const message = `This needs a key of the ${minimum} tier or a higher one. Call get_pricing for what the tiers offer.`;
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

/** The tiers that anyone can have; those that an operator issues are not listed. */
export function getPricing(): Pricing {
  return { free: describePlan(plans.free), starter: describePlan(plans.starter), pro: describePlan(plans.pro) };
}
