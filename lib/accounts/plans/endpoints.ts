import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";
import { getPricing } from "./plans";
import { pricingSchema } from "./schemas";

export const getPricingEndpoint = defineEndpoint({
  id: "getPricing",
  method: "GET",
  path: "/api/v1/pricing",
  tag: "Keys and billing",
  summary: "Get the pricing tiers",
  description: "Price and features of the tiers `free`, `starter` and `pro`.",
  auth: "none",
  responses: { 200: jsonResponse("The three tiers.", pricingSchema, getPricing()) },
  errors: {},
});

export const planEndpoints = [getPricingEndpoint];
