import { z } from "zod";

export const contractTierSchema = z.enum(["free", "starter", "pro"]);

export const pricingConfigSchema = z
  .object({
    tier: contractTierSchema,
    monthly_price_usd: z.number().min(0),
    requests_per_day: z.int().meta({ description: "Requests that the limited endpoints take in a UTC day." }),
    vendor_access: z
      .enum(["public-5", "all", "all-plus-custom"])
      .meta({ description: "Vendors in the feed: the five public ones, all, or all and those added for the account." }),
    history_days: z.int().meta({ description: "Days of history that can be read." }),
    diff_access: z.boolean().meta({ description: "Whether the feed carries diff content." }),
    api_access: z.boolean().meta({ description: "Whether raw content can be read." }),
    webhooks: z.boolean().meta({ description: "Whether webhooks can be registered." }),
  })
  .meta({ id: "PricingConfig", description: "What a tier costs and includes." });
export type PricingConfig = z.infer<typeof pricingConfigSchema>;

export const pricingSchema = z
  .object({ free: pricingConfigSchema, starter: pricingConfigSchema, pro: pricingConfigSchema })
  .meta({ id: "Pricing", description: "The tiers that anyone can have." });
export type Pricing = z.infer<typeof pricingSchema>;
