import { z } from "zod";
import { contractTierSchema } from "#lib/accounts/plans/index";
import { soldTiers } from "./payments";

export const checkoutRequestSchema = z.object({
  tier: z.enum(soldTiers, { error: 'must be "starter" or "pro"' }).meta({ description: "What is bought." }),
});

export const checkoutSchema = z
  .object({ url: z.url().meta({ description: "The payment provider's page. Send the browser there." }) })
  .meta({ id: "Checkout", description: "A purchase that has begun." });
export type Checkout = z.infer<typeof checkoutSchema>;

export const sessionIdSchema = z
  .string({ error: "is missing" })
  .regex(/^cs_[A-Za-z0-9_]{1,250}$/, { error: "is no checkout session" })
  .meta({ description: "The `session_id` of the success page's address." });

export const revealRequestSchema = z.object({ session_id: sessionIdSchema });

export const revealedKeySchema = z
  .object({
    api_key: z
      .string()
      .regex(/^ltf_[0-9A-Za-z]{38}$/)
      .meta({ description: "The key. It is shown this once." }),
    tier: contractTierSchema.meta({ description: "The tier that it has now." }),
    note: z.string().meta({ description: "What to do now." }),
  })
  .meta({ id: "RevealedKey", description: "The key of a purchase." });
export type RevealedKey = z.infer<typeof revealedKeySchema>;

export const portalSchema = z
  .object({ url: z.url().meta({ description: "The payment provider's page of this customer; it works for minutes." }) })
  .meta({ id: "PaymentPortal", description: "Where a customer sees to cards, invoices, tier and cancellation." });
export type Portal = z.infer<typeof portalSchema>;

export const eventReceiptSchema = z.object({ received: z.literal(true) });
export type EventReceipt = z.infer<typeof eventReceiptSchema>;
