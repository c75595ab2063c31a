import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";
import { pricingSchema } from "./schemas";

export const getPricingEndpoint = defineEndpoint({
  id: "getPricing",
  method: "GET",
  path: "/api/v1/pricing",
  tag: "Keys and billing",
  summary: "Get the pricing tiers",
  description: "Price and features of the tiers `free`, `starter` and `pro`.",
  auth: "none",
  responses: {
    200: jsonResponse("The three tiers.", pricingSchema, {
      free: {
        tier: "free",
        monthly_price_usd: 0,
        requests_per_day: 100,
        vendor_access: "public-5",
        history_days: 7,
        diff_access: false,
        api_access: false,
        webhooks: false,
      },
      starter: {
        tier: "starter",
        monthly_price_usd: 29,
        requests_per_day: 5_000,
        vendor_access: "all",
        history_days: 90,
        diff_access: true,
        api_access: true,
        webhooks: false,
      },
      pro: {
        tier: "pro",
        monthly_price_usd: 99,
        requests_per_day: 50_000,
        vendor_access: "all-plus-custom",
        history_days: 365,
        diff_access: true,
        api_access: true,
        webhooks: true,
      },
    }),
  },
  errors: {},
});

export const planEndpoints = [getPricingEndpoint];
