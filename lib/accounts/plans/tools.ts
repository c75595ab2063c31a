import { z } from "zod";
import { defineTool, reads } from "#lib/contract/tool";
import { getPricing } from "./plans";
import { pricingSchema } from "./schemas";

export const getPricingTool = defineTool({
  name: "get_pricing",
  title: "Get the pricing tiers",
  description:
    "Gives what the tiers free, starter and pro cost and include: requests a day, vendors, days of history, diffs, raw content, webhooks. Use it when a tool was refused for the tier, or when someone asks about prices. Not for how much of a limit is left. Example: {}",
  annotations: reads,
  input: z.strictObject({}),
  output: z.object(pricingSchema.shape),
  run: async () => getPricing(),
});

export const planTools = [getPricingTool];
