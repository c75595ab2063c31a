import * as z from "zod";
import { contractTierSchema } from "#lib/accounts/plans/index";
import { bodySchema } from "#lib/contract/parse-body";
import { soldTiers } from "./payments";

export const checkoutRequestSchema = bodySchema({
  tier: z.enum(soldTiers, { error: 'must be "starter" or "pro"' }).describe("Tier to buy."),
});

export const checkoutSchema = z
  .object({ url: z.url().describe("The payment provider's page. Redirect the browser to it.") })
  .meta({ id: "Checkout", description: "A started purchase." });
export type Checkout = z.infer<typeof checkoutSchema>;

export const sessionIdSchema = z
  .string({ error: "is missing" })
  .regex(/^cs_[A-Za-z0-9_]{1,250}$/, { error: "is not a checkout session" })
  .describe("`session_id` from the URL of the success page.");

export const revealRequestSchema = z.object({ session_id: sessionIdSchema });

export const revealedKeySchema = z
  .object({
    api_key: z
      .string()
      .regex(/^ltf_[0-9A-Za-z]{38}$/)
      .describe("The key. It is shown only once."),
    tier: contractTierSchema.describe("Current tier of the key."),
    note: z.string().describe("What to do next."),
  })
  .meta({ id: "RevealedKey", description: "The key of a purchase." });
export type RevealedKey = z.infer<typeof revealedKeySchema>;

export const portalSchema = z
  .object({ url: z.url().describe("The payment provider's page for this customer; valid for a few minutes.") })
  .meta({ id: "PaymentPortal", description: "Where a customer manages cards, invoices, tier and cancellation." });
export type Portal = z.infer<typeof portalSchema>;

export const eventReceiptSchema = z.object({ received: z.literal(true) });
export type EventReceipt = z.infer<typeof eventReceiptSchema>;
