import * as z from "zod";
import { accountTiers, contractTierSchema } from "#lib/accounts/plans/index";
import { bodySchema } from "#lib/contract/parse-body";

export const rotateKeyQuerySchema = z.object({
  grace: z
    .literal("true", { error: 'must be "true"' })
    .optional()
    .describe("`true` keeps the old key valid for 24 hours, but not beyond its own expiry."),
});

const keySchema = z
  .string()
  .regex(/^ltf_[0-9A-Za-z]{38}$/)
  .describe("The new key. It is shown only once.");
const worksUntilSchema = z.iso.datetime().nullable().describe("When the key stops working; null: never.");

const subscriptionSchema = z
  .object({
    status: z.string().describe("The payment provider's: `active`, `past_due` after a failed payment, …"),
    renews_at: z.iso.datetime().nullable().describe("Next payment; null if it was cancelled."),
    ends_at: z.iso.datetime().nullable().describe("When it ends, with its tier; null unless it was cancelled."),
    grace_until: z.iso
      .datetime()
      .nullable()
      .describe("Until when the tier stays without a payment; null unless one failed."),
  })
  .meta({ id: "KeySubscription", description: "The subscription of a key's account." });

export const keyDetailSchema = z
  .object({
    tier: contractTierSchema,
    plan: z.enum(accountTiers).describe("As `tier`, which has no values for the plans that an operator issues."),
    subscription: subscriptionSchema.nullable().describe("Null: none that has not ended."),
    last_four: z.string().describe("The last four characters of the key."),
    created_at: z.iso.datetime(),
    works_until: worksUntilSchema,
    previous_keys: z
      .array(z.object({ last_four: z.string(), works_until: z.iso.datetime() }))
      .describe("Keys that this one replaced and that still work, newest first; at most 100."),
  })
  .meta({ id: "KeyDetail", description: "The calling key." });
export type KeyDetail = z.infer<typeof keyDetailSchema>;

export const keyParamsSchema = z.object({
  id: z.guid({ error: "must be a key's id, a UUID" }).describe("The key's id."),
});

export const newKeySchema = bodySchema({
  name: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(60, "must have at most 60 characters")
    .refine((name) => !/\p{Cc}/u.test(name), "must not contain control characters")
    .describe("What the key is for, unique among the account's keys that work."),
  expires_in_days: z
    .int({ error: "must be a whole number" })
    .min(1, "must be at least 1")
    .max(3_650, "must be at most 3650")
    .optional()
    .describe("Default: it expires with the calling key, which is the latest."),
});
export type NewKeyInput = z.infer<typeof newKeySchema>;

export const keyAdditionSchema = z
  .object({ new_key: keySchema, id: z.guid(), name: z.string(), works_until: worksUntilSchema, note: z.string() })
  .meta({ id: "KeyAddition", description: "A new key of the account." });
export type KeyAddition = z.infer<typeof keyAdditionSchema>;

const accountKeySchema = z.object({
  id: z.guid(),
  name: z.string().nullable().describe("Null for a key that was not created by one of the account's keys."),
  last_four: z.string(),
  created_at: z.iso.datetime(),
  works_until: worksUntilSchema,
  used_on: z.iso.date().nullable().describe("UTC day of its latest request; null: none yet."),
  is_calling: z.boolean().describe("Whether it sent this request."),
});

export const accountKeysSchema = z
  .object({ keys: z.array(accountKeySchema).describe("Newest first; at most 100.") })
  .meta({ id: "AccountKeys", description: "The keys of the account that work." });
export type AccountKeys = z.infer<typeof accountKeysSchema>;

export const keyEndSchema = z
  .object({ ended: z.literal(true), id: z.guid() })
  .meta({ id: "KeyEnd", description: "An ended key." });
export type KeyEnd = z.infer<typeof keyEndSchema>;

export const graceEndSchema = z
  .object({ ended: z.int().min(0).describe("Previous keys that worked until now.") })
  .meta({ id: "GraceEnd", description: "Ended grace periods." });
export type GraceEnd = z.infer<typeof graceEndSchema>;

export const keyRotationSchema = z
  .object({
    new_key: keySchema,
    rotated_at: z.iso.datetime(),
    note: z.string().describe("What to do next, and how long the old key remains valid."),
    grace_period: z.string().optional().describe("How long the old key remains valid; only with `grace=true`."),
  })
  .meta({ id: "KeyRotation", description: "A rotated key." });
export type KeyRotation = z.infer<typeof keyRotationSchema>;
