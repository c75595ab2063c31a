import * as z from "zod";
import { contractTierSchema } from "#lib/accounts/plans/index";
import { bodySchema } from "#lib/contract/parse-body";
import { changeFiltersSchema, unknownModelsSchema } from "#lib/tracking/change-filters/index";

/** Most active webhooks of one key. */
export const maxActiveCount = 20;

/** Lowest significance of events. */
export const minHighSignificance = 4;

/** The only event type. */
export const highSignificanceEvent = "intelligence.high_significance";
export const webhookEventTypeSchema = z
  .literal(highSignificanceEvent, { error: `can only be "${highSignificanceEvent}"` })
  .meta({ id: "WebhookEventType", description: "Type of event: a change of high significance." });
export type WebhookEventType = z.infer<typeof webhookEventTypeSchema>;

/** How a delivery is written: as an event, or as a message of a chat. */
export const webhookFormatSchema = z
  .enum(["json", "slack", "discord", "teams"], { error: 'must be "json", "slack", "discord" or "teams"' })
  .describe("`json`, or the messages of Slack, Discord or Microsoft Teams. Absent for `json`.");
export type WebhookFormat = z.infer<typeof webhookFormatSchema>;

export const webhookFiltersSchema = changeFiltersSchema({
  id: "WebhookFilters",
  minSignificance: "4 or 5: events are only sent from 4 on.",
  least: minHighSignificance,
});

const urlMessage = "must be a URL that starts with http:// or https://";
const uri = z.string().meta({ format: "uri" });

export const createWebhookBodySchema = bodySchema(
  {
    url: z
      .string({ error: urlMessage })
      .regex(/^https?:\/\/\S+$/i, { error: urlMessage })
      .meta({
        description: "URL that deliveries are sent to.",
        format: "uri",
        examples: ["https://example.com/hooks"],
      }),
    events: z
      .array(webhookEventTypeSchema, { error: "must be a list of event types" })
      .min(1, { error: "must name at least one event type" })
      .transform((events) => [...new Set(events)])
      .describe("Event types that the webhook receives."),
    filters: webhookFiltersSchema.optional().describe("Default: every change."),
    format: webhookFormatSchema.optional(),
  },
  "must be an object with url and events",
);

export const changeWebhookBodySchema = bodySchema(
  { filters: webhookFiltersSchema.nullable().describe("Replaces all filters; null or an empty object removes them.") },
  "must be an object with filters",
);

export const webhookIdSchema = z.guid({ error: "must be a webhook's id, a UUID" });
const idMeta = { description: "The webhook's id." };
export const webhookParamsSchema = z.object({ id: webhookIdSchema.meta(idMeta) });
export const deleteWebhookQuerySchema = z.object({ id: webhookIdSchema.meta(idMeta) });
export const listWebhooksQuerySchema = z.object({
  include: z
    .literal("inactive", { error: 'can only be "inactive"' })
    .optional()
    .describe("`inactive` adds deactivated webhooks, and to each webhook when and why it was deactivated."),
});

const createdFields = {
  id: z.guid(),
  url: uri,
  events: z.array(webhookEventTypeSchema),
  active: z.boolean(),
  created_at: z.iso.datetime(),
  filters: webhookFiltersSchema.optional().describe("Absent if every change is sent."),
  format: webhookFormatSchema.optional(),
};

const createdWebhookSchema = z
  .object(createdFields)
  .meta({ id: "CreatedWebhook", description: "A newly registered webhook." });

export const webhookSchema = z
  .object({
    ...createdFields,
    updated_at: z.iso.datetime(),
    failing_since: z.iso
      .datetime()
      .nullable()
      .optional()
      .describe("Time since which every attempt has failed; only with `include=inactive`."),
    deactivated_at: z.iso.datetime().nullable().optional().describe("Only with `include=inactive`."),
    deactivated_reason: z
      .string()
      .nullable()
      .optional()
      .describe("Why it was deactivated; only with `include=inactive`."),
  })
  .meta({ id: "Webhook", description: "A registered webhook." });
export type WebhookItem = z.infer<typeof webhookSchema>;

export const webhookAnswerSchema = z
  .object({ webhook: webhookSchema, unknown_models: unknownModelsSchema })
  .meta({ id: "WebhookAnswer", description: "A changed webhook." });
export type WebhookAnswer = z.infer<typeof webhookAnswerSchema>;

export const webhookListSchema = z
  .object({ _meta: z.object({ count: z.int().min(0), tier: contractTierSchema }), webhooks: z.array(webhookSchema) })
  .meta({ id: "WebhookList", description: "The webhooks of the calling key." });
export type WebhookList = z.infer<typeof webhookListSchema>;

const secret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]{43}=$/)
  .describe("The signing secret. It is shown only once.");

export const webhookCreationSchema = z
  .object({ webhook: createdWebhookSchema, secret, unknown_models: unknownModelsSchema })
  .meta({ id: "WebhookCreation", description: "A new webhook and its secret." });
export type WebhookCreation = z.infer<typeof webhookCreationSchema>;

export const webhookDeactivationSchema = z
  .object({ deactivated: z.literal(true), id: z.guid() })
  .meta({ id: "WebhookDeactivation", description: "A webhook that no longer receives events." });
export type WebhookDeactivation = z.infer<typeof webhookDeactivationSchema>;

export const webhookPurgeSchema = z
  .object({ deleted: z.int().min(0) })
  .meta({ id: "WebhookPurge", description: "Deleted webhooks." });
export type WebhookPurge = z.infer<typeof webhookPurgeSchema>;

export const secretRotationSchema = z
  .object({
    id: z.guid(),
    secret,
    previous_secret_until: z.iso
      .datetime()
      .describe("Until this time, `webhook-signature` also includes a signature with the previous secret."),
  })
  .meta({ id: "WebhookSecretRotation", description: "A webhook's new secret." });
export type SecretRotation = z.infer<typeof secretRotationSchema>;
