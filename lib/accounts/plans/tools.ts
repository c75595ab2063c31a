import * as z from "zod";
import { defineTool, reads } from "#lib/contract/tool";
import { getPricing } from "./plans";
import { pricingSchema } from "./schemas";

const getPricingTool = defineTool({
  name: "get_pricing",
  title: "Get the pricing tiers",
  description:
    "Returns the price and features of the tiers free, starter and pro: requests per day, vendors, days of history, diffs, raw content, webhooks. Use it when a tool requires a higher tier, or to answer questions about prices. It does not show how much of a limit is left. Example: {}",
  annotations: reads,
  input: z.strictObject({}),
  output: z.object(pricingSchema.shape),
  run: async () => getPricing(),
});

export const planTools = [getPricingTool];
