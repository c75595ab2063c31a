import { describe, expect, test } from "vitest";
import { accountTiers, contractTier, getPricing, historyStart, plans, pricingSchema } from "#lib/accounts/plans/index";

const now = new Date("2026-11-21T12:00:00.000Z");

describe("the plans", () => {
  test("have the specified prices, limits and history", () => {
    const rows = accountTiers.map((tier) => {
      const { monthlyPriceUsd, requestsPerDay, diffAccess, historyDays } = plans[tier];
      return [tier, monthlyPriceUsd, requestsPerDay, diffAccess, historyDays];
    });
    expect(rows).toEqual([
      ["free", 0, 100, false, 7],
      ["starter", 29, 5_000, true, 90],
      ["pro", 99, 50_000, true, 365],
      ["enterprise", 499, 500_000, true, 730],
      ["enterprise_plus", 999, -1, true, -1],
    ]);
    for (const tier of accountTiers) expect(plans[tier].tier).toBe(tier);
  });

  test("above pro are shown as pro in API responses", () => {
    expect(accountTiers.map(contractTier)).toEqual(["free", "starter", "pro", "pro", "pro"]);
  });

  test("show their days of history, and all history if unlimited", () => {
    expect(historyStart(plans.free, now)).toEqual(new Date("2026-11-14T12:00:00.000Z"));
    expect(historyStart(plans.starter, now)).toEqual(new Date("2026-08-23T12:00:00.000Z"));
    expect(historyStart(plans.enterprise_plus, now)).toBeNull();
  });
});

test("the pricing lists the three public tiers, whose plans the tests above have, in the contract's shape", () => {
  const pricing = pricingSchema.strict().parse(getPricing());
  expect(Object.keys(pricing)).toEqual(["free", "starter", "pro"]);
  expect(pricing.free).toMatchObject({ vendor_access: "public-5", api_access: false, webhooks: false });
  expect(pricing.starter).toMatchObject({ vendor_access: "all", api_access: true, webhooks: false });
  expect(pricing.pro).toEqual({
    tier: "pro",
    monthly_price_usd: 99,
    requests_per_day: 50_000,
    vendor_access: "all-plus-custom",
    history_days: 365,
    diff_access: true,
    api_access: true,
    webhooks: true,
  });
});
