import { defineEndpoint } from "#lib/contract/endpoint";
import { deliveryEndpoints } from "./deliveries/endpoints";
import {
  createWebhookBodySchema,
  deleteWebhookQuerySchema,
  listWebhooksQuerySchema,
  secretRotationSchema,
  webhookCreationSchema,
  webhookDeactivationSchema,
  webhookListSchema,
  webhookParamsSchema,
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

const minimumTier = { tier: "pro", code: "forbidden" } as const;
const shared = { tag: "Webhooks", auth: "required", limited: true, minimumTier } as const;

export const listWebhooksEndpoint = defineEndpoint({
  ...shared,
  id: "listWebhooks",
  method: "GET",
  path: "/api/v1/webhooks",
  summary: "List webhooks",
  description:
    "The active webhooks of the calling key, newest first. They stay its own when the key is rotated. With `include=inactive` the 100 newest of those that were deactivated follow, and each says how it stands.",
  query: listWebhooksQuerySchema,
  answers: {
    200: {
      description: "The webhooks.",
      body: {
        type: "application/json",
        schema: webhookListSchema,
        example: {
          _meta: { count: 1, tier: "pro" },
          webhooks: [{ ...exampleWebhook, updated_at: "2026-11-21T09:00:00.000Z" }],
        },
      },
    },
  },
  errors: { bad_request: "`include` is something else than `inactive`." },
});

export const createWebhookEndpoint = defineEndpoint({
  ...shared,
  id: "createWebhook",
  method: "POST",
  path: "/api/v1/webhooks",
  summary: "Register a webhook",
  description:
    "Registers an address that changes of high significance are sent to. The signing secret is in the answer, once. A key has 20 active webhooks at most.",
  body: createWebhookBodySchema,
  bodyExample: { url: exampleWebhook.url, events: exampleWebhook.events },
  answers: {
    201: {
      description: "The webhook was registered.",
      body: {
        type: "application/json",
        schema: webhookCreationSchema,
        example: { webhook: exampleWebhook, secret: exampleSecret },
      },
    },
  },
  errors: {
    bad_request:
      "The body is wrong: `url` is missing, does not start with `http://` or `https://`, is not public or is not found; or `events` is empty or names something else.",
    payload_too_large: "The body is larger than 64 KiB.",
    conflict: "The key has 20 active webhooks.",
    service_unavailable: "`ENCRYPTION_KEYS` is not configured, or no database.",
  },
});

export const deleteWebhookEndpoint = defineEndpoint({
  ...shared,
  id: "deleteWebhook",
  method: "DELETE",
  path: "/api/v1/webhooks",
  summary: "Deactivate a webhook",
  description: "Ends a webhook of the calling key. No attempt begins after that; what waits is cancelled.",
  query: deleteWebhookQuerySchema,
  answers: {
    200: {
      description: "The webhook was deactivated.",
      body: {
        type: "application/json",
        schema: webhookDeactivationSchema,
        example: { deactivated: true, id: exampleId },
      },
    },
  },
  errors: {
    bad_request: "`id` is missing, or is no UUID.",
    not_found: "The key has no such webhook, or it is deactivated already.",
  },
});

export const rotateSecretEndpoint = defineEndpoint({
  ...shared,
  id: "rotateWebhookSecret",
  method: "POST",
  path: "/api/v1/webhooks/{id}/rotate-secret",
  summary: "Rotate a webhook's secret",
  description:
    "Gives a webhook a new signing secret, in the answer once. For 24 hours `webhook-signature` holds two signatures, of the new secret and of the one before; `X-LTF-Signature` is the new secret's from now on.",
  params: webhookParamsSchema,
  answers: {
    200: {
      description: "The webhook has a new secret.",
      body: {
        type: "application/json",
        schema: secretRotationSchema,
        example: { id: exampleId, secret: exampleSecret, previous_secret_until: "2026-11-22T09:30:00.000Z" },
      },
    },
  },
  errors: {
    not_found: "The key has no such webhook.",
    conflict: "The webhook is deactivated, or was changed at the same time.",
    service_unavailable: "`ENCRYPTION_KEYS` is not configured, or no database.",
  },
});

export const webhookEndpoints = [
  listWebhooksEndpoint,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateSecretEndpoint,
  ...deliveryEndpoints,
];
