import * as z from "zod";
import { emailSchema } from "#lib/contract/mail-links";
import { bodySchema } from "#lib/contract/parse-body";

export const keyMailBodySchema = bodySchema(
  {
    email: emailSchema.meta({
      description: "Your address: that of the purchase, or any for a key of the free tier.",
      examples: ["you@example.com"],
    }),
  },
  "must be an object with email",
);

export const keyMailSchema = z
  .object({
    note: z.string().describe("What to do next."),
    expires_at: z.iso.datetime().describe("Until when the link in the mail is valid."),
  })
  .meta({ id: "KeyMail", description: "A mail with the link that issues a key." });
export type KeyMail = z.infer<typeof keyMailSchema>;

/** Fields of the form on the link's page. Without a body, the account with the highest tier gets the key. */
export const keyFormSchema = z.object({ account: z.guid().optional(), keep_keys: z.literal("on").optional() });
