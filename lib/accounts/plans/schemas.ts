import * as z from "zod";

export const contractTierSchema = z.enum(["free", "starter", "pro"]);

const pricingConfigSchema = z
  .object({
    tier: contractTierSchema,
    monthly_price_usd: z.number().min(0),
    requests_per_day: z.int().describe("Requests per UTC day to the rate-limited endpoints."),
    vendor_access: z
      .enum(["public-5", "all", "all-plus-custom"])
      .describe("Visible vendors: the public ones, all, or all plus those added for the account."),
    history_days: z.int().describe("Days of history that are visible."),
    diff_access: z.boolean().describe("Whether the feed includes diffs."),
    api_access: z.boolean().describe("Whether raw content is available."),
    webhooks: z.boolean().describe("Whether webhooks can be registered."),
  })
  .meta({ id: "PricingConfig", description: "Price and features of a tier." });
export type PricingConfig = z.infer<typeof pricingConfigSchema>;

export const pricingSchema = z
  .object({ free: pricingConfigSchema, starter: pricingConfigSchema, pro: pricingConfigSchema })
  .meta({ id: "Pricing", description: "The public tiers." });
export type Pricing = z.infer<typeof pricingSchema>;
