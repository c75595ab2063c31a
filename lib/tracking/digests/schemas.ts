import * as z from "zod";
import { emailSchema } from "#lib/contract/mail-links";
import { bodySchema } from "#lib/contract/parse-body";
import { changeFiltersSchema, unknownModelsSchema } from "#lib/tracking/change-filters/index";

/** Most digests of an account, in any state. */
export const maxDigestCount = 5;

export const digestFrequencies = ["each", "daily", "weekly"] as const;
export type DigestFrequency = (typeof digestFrequencies)[number];
const digestFrequencySchema = z
  .enum(digestFrequencies, { error: 'must be "each", "daily" or "weekly"' })
  .meta({
    id: "DigestFrequency",
    description:
      "`each`: within minutes of each change, at most one mail in ten minutes; `daily`: at 07:00 UTC; `weekly`: on Mondays at 07:00 UTC. There is no mail if nothing has changed.",
  });

const digestFiltersSchema = changeFiltersSchema({
  id: "DigestFilters",
  minSignificance: "Least significance. Default: any.",
});

export const createDigestBodySchema = bodySchema(
  {
    email: emailSchema.meta({
      description: "The address, which gets a mail to confirm it.",
      examples: ["team@example.com"],
    }),
    frequency: digestFrequencySchema,
    filters: digestFiltersSchema
      .optional()
      .describe(
        "Default: every change of the vendors that the tier covers. Without a key, `vendors` is required, and the only filter.",
      ),
  },
  "must be an object with email and frequency",
);

const nothingToChange = "must be an object with frequency or filters";
export const changeDigestBodySchema = bodySchema(
  {
    frequency: digestFrequencySchema.optional(),
    filters: digestFiltersSchema
      .nullable()
      .optional()
      .describe("Replaces all filters; null or an empty object removes them."),
  },
  nothingToChange,
).refine(({ frequency, filters }) => frequency !== undefined || filters !== undefined, { error: nothingToChange });

export const digestParamsSchema = z.object({
  id: z.guid({ error: "must be a digest's id, a UUID" }).describe("The digest's id."),
});

const time = z.iso.datetime().nullable();

const digestSchema = z
  .object({
    id: z.guid(),
    email: z.string(),
    frequency: digestFrequencySchema,
    status: z
      .enum(["pending", "active", "disabled"])
      .describe(
        "`pending`: the address is not confirmed; `disabled`: the mail server refused three mails in a row, and nothing is sent any more.",
      ),
    filters: digestFiltersSchema.optional().describe("Absent if every change is sent."),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    confirm_by: time.describe("Until when the link of the confirmation is valid; null once confirmed."),
    confirmed_at: time,
    last_sent_at: time,
    disabled_at: time,
    disabled_reason: z.string().nullable(),
  })
  .meta({ id: "Digest", description: "Changes that are mailed to an address." });
export type DigestItem = z.infer<typeof digestSchema>;

export const digestAnswerSchema = z
  .object({ digest: digestSchema, unknown_models: unknownModelsSchema })
  .meta({ id: "DigestAnswer", description: "A new or changed digest." });
export type DigestAnswer = z.infer<typeof digestAnswerSchema>;

export const digestListSchema = z
  .object({ _meta: z.object({ count: z.int().min(0), limit: z.int() }), digests: z.array(digestSchema) })
  .meta({ id: "DigestList", description: "The digests of the account." });
export type DigestList = z.infer<typeof digestListSchema>;

export const digestDeletionSchema = z
  .object({ deleted: z.literal(true), id: z.guid() })
  .meta({ id: "DigestDeletion", description: "A deleted digest." });
export type DigestDeletion = z.infer<typeof digestDeletionSchema>;
