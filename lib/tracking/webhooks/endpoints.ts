import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";
import { deliveryEndpoints } from "./deliveries/endpoints";
import {
  changeWebhookBodySchema,
  createWebhookBodySchema,
  deleteWebhookQuerySchema,
  listWebhooksQuerySchema,
  maxActiveCount,
  secretRotationSchema,
  webhookAnswerSchema,
  webhookCreationSchema,
  webhookDeactivationSchema,
  webhookListSchema,
  webhookParamsSchema,
  webhookPurgeSchema,
} from "./schemas";

const exampleId = "019aa5d0-3c20-7e41-8b5a-0f1e2d3c4b5a";
const exampleSecret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
const exampleWebhook = {
  id: exampleId,
  url: "https://example.com/hooks/changes",
  events: ["intelligence.high_significance"],
  active: true,
  created_at: "2026-11-21T09:00:00.000Z",
};

const exampleFilters = { vendors: ["quarrydb"], categories: ["pricing-change" as const], min_significance: 5 };

const minimumTier = { tier: "pro", code: "forbidden" } as const;
const ofAnyTier = { tag: "Webhooks", auth: "required", limited: true } as const;
const shared = { ...ofAnyTier, minimumTier } as const;

export const listWebhooksEndpoint = defineEndpoint({
  ...shared,
  id: "listWebhooks",
  method: "GET",
  path: "/api/v1/webhooks",
  summary: "List webhooks",
  description:
    "Returns the active webhooks of the calling key, newest first. A rotated key keeps its webhooks. With `include=inactive`, the 100 newest deactivated webhooks follow, and each webhook includes its failures and deactivation.",
  query: listWebhooksQuerySchema,
  responses: {
    200: jsonResponse("The webhooks.", webhookListSchema, {
      _meta: { count: 1, tier: "pro" },
      webhooks: [{ ...exampleWebhook, updated_at: "2026-11-21T09:00:00.000Z" }],
    }),
  },
  errors: { bad_request: "`include` is not `inactive`." },
});

export const createWebhookEndpoint = defineEndpoint({
  ...shared,
  id: "createWebhook",
  method: "POST",
  path: "/api/v1/webhooks",
  summary: "Register a webhook",
  description: `Registers a URL that receives changes of high significance. The response includes the signing secret, which is shown only once. A key can have ${maxActiveCount} active webhooks. With \`filters\`, only changes that match each of them are sent.`,
  body: createWebhookBodySchema,
  bodyExample: { url: exampleWebhook.url, events: exampleWebhook.events },
  responses: {
    201: jsonResponse("The webhook was registered.", webhookCreationSchema, {
      webhook: exampleWebhook,
      secret: exampleSecret,
    }),
  },
  errors: {
    bad_request:
      "The body is invalid: `url` is missing, does not start with `http://` or `https://`, is not public or cannot be resolved; or `events` is empty or contains an unknown event type; or a filter is invalid, or names a vendor that you do not see.",
    payload_too_large: "The body is larger than 64 KiB.",
    conflict: `The key has ${maxActiveCount} active webhooks.`,
    service_unavailable: "`ENCRYPTION_KEYS` or the database is not configured.",
  },
});

export const changeWebhookEndpoint = defineEndpoint({
  ...shared,
  id: "changeWebhook",
  method: "PATCH",
  path: "/api/v1/webhooks/{id}",
  summary: "Change a webhook's filters",
  description:
    "Replaces the filters of a webhook of the calling key, all at once. They apply to changes that are reported from then on; pending deliveries stay.",
  params: webhookParamsSchema,
  body: changeWebhookBodySchema,
  bodyExample: { filters: exampleFilters },
  responses: {
    200: jsonResponse("The webhook was changed.", webhookAnswerSchema, {
      webhook: { ...exampleWebhook, filters: exampleFilters, updated_at: "2026-11-21T09:30:00.000Z" },
    }),
  },
  errors: {
    bad_request: "A filter is invalid, or names a vendor that you do not see.",
    payload_too_large: "The body is larger than 64 KiB.",
    not_found: "The key has no webhook with this id.",
    conflict: "The webhook is deactivated.",
  },
});

export const deleteWebhookEndpoint = defineEndpoint({
  ...shared,
  id: "deleteWebhook",
  method: "DELETE",
  path: "/api/v1/webhooks",
  summary: "Deactivate a webhook",
  description: "Deactivates a webhook of the calling key. No further attempt starts; pending deliveries are cancelled.",
  query: deleteWebhookQuerySchema,
  responses: {
    200: jsonResponse("The webhook was deactivated.", webhookDeactivationSchema, { deactivated: true, id: exampleId }),
  },
  errors: {
    bad_request: "`id` is missing or not a UUID.",
    not_found: "The key has no webhook with this id, or it is already deactivated.",
  },
});

export const purgeWebhooksEndpoint = defineEndpoint({
  ...ofAnyTier,
  id: "purgeWebhooks",
  method: "DELETE",
  path: "/api/v1/account/webhooks",
  summary: "Delete all webhooks of the account",
  description:
    "Deletes the webhooks of all keys of the account, active or not, with their URLs, secrets and deliveries, for good. It works on every tier, so also after one with webhooks has ended.",
  responses: { 200: jsonResponse("How many webhooks were deleted.", webhookPurgeSchema, { deleted: 2 }) },
  errors: {},
});

export const rotateSecretEndpoint = defineEndpoint({
  ...shared,
  id: "rotateWebhookSecret",
  method: "POST",
  path: "/api/v1/webhooks/{id}/rotate-secret",
  summary: "Rotate a webhook's secret",
  description:
    "Replaces a webhook's signing secret and returns the new one, which is shown only once. For 24 hours after a rotation, `webhook-signature` also contains a signature with the replaced secret, whether or not others follow; `X-LTF-Signature` uses the new secret at once.",
  params: webhookParamsSchema,
  responses: {
    200: jsonResponse("The webhook has a new secret.", secretRotationSchema, {
      id: exampleId,
      secret: exampleSecret,
      previous_secret_until: "2026-11-22T09:30:00.000Z",
    }),
  },
  errors: {
    not_found: "The key has no webhook with this id.",
    conflict: "The webhook is deactivated, was changed at the same time, or four replaced secrets still sign.",
    service_unavailable: "`ENCRYPTION_KEYS` or the database is not configured.",
  },
});

export const webhookEndpoints = [
  listWebhooksEndpoint,
  createWebhookEndpoint,
  changeWebhookEndpoint,
  deleteWebhookEndpoint,
  purgeWebhooksEndpoint,
  rotateSecretEndpoint,
  ...deliveryEndpoints,
];
