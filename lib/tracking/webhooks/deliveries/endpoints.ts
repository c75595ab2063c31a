import { defineEndpoint, jsonResponse } from "#lib/contract/endpoint";
import { webhookParamsSchema } from "../schemas";
import {
  deliveriesQuerySchema,
  deliveryAnswerSchema,
  deliveryListSchema,
  deliveryParamsSchema,
  maxSentPerMinute,
} from "./schemas";

const exampleAttempt = {
  id: "019aa5d4-9e08-7b1f-8c3d-4e5f60718293",
  created_at: "2026-11-21T09:30:00.120Z",
  http_status: 200,
  error: null,
  response_excerpt: "ok",
  duration_ms: 84,
};
const exampleDelivery = {
  id: "019aa5d4-9d90-7a02-9b1c-2d3e4f506172",
  event_id: "019aa5d4-9d8f-7c53-a6b7-c8d9e0f1a2b3",
  event: "intelligence.high_significance",
  test: false,
  vendor: { name: "QuarryDB", slug: "quarrydb" },
  status: "delivered",
  in_flight: false,
  attempt_count: 1,
  next_attempt_at: null,
  created_at: "2026-11-21T09:30:00.000Z",
  finished_at: "2026-11-21T09:30:00.120Z",
  attempts: [exampleAttempt],
};

const minimumTier = { tier: "pro", code: "forbidden" } as const;
const shared = { tag: "Webhooks", auth: "required", limited: true, minimumTier } as const;

const unavailable = "`ENCRYPTION_KEYS` or the database is not configured.";

export const testWebhookEndpoint = defineEndpoint({
  ...shared,
  id: "testWebhook",
  method: "POST",
  path: "/api/v1/webhooks/{id}/test",
  summary: "Send a test event",
  description:
    'Sends a sample change with `"test": true` in its body to the webhook now, once, and returns the result. A failed test is not retried and does not count against the webhook.',
  params: webhookParamsSchema,
  responses: {
    200: jsonResponse("The delivery, whether it succeeded or failed.", deliveryAnswerSchema, {
      delivery: { ...exampleDelivery, test: true, vendor: null },
    }),
  },
  errors: {
    not_found: "The key has no webhook with this id.",
    conflict: "The webhook is deactivated.",
    rate_limited: `The account has sent ${maxSentPerMinute} tests and redeliveries in this minute.`,
    service_unavailable: unavailable,
  },
});

export const listDeliveriesEndpoint = defineEndpoint({
  ...shared,
  id: "listWebhookDeliveries",
  method: "GET",
  path: "/api/v1/webhooks/{id}/deliveries",
  summary: "List a webhook's deliveries",
  description:
    "Returns a page of a webhook's past and pending deliveries, newest first, with their attempts. The deliveries of a deactivated webhook remain readable.",
  params: webhookParamsSchema,
  query: deliveriesQuerySchema,
  responses: {
    200: jsonResponse("A page of deliveries.", deliveryListSchema, {
      _meta: { count: 1, next_cursor: null, has_more: false },
      deliveries: [exampleDelivery],
    }),
  },
  errors: {
    bad_request: "`limit` is out of range, or a parameter is repeated.",
    invalid_cursor: "`cursor` is not a UUID.",
    not_found: "The key has no webhook with this id.",
  },
});

export const redeliverEndpoint = defineEndpoint({
  ...shared,
  id: "redeliverWebhook",
  method: "POST",
  path: "/api/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver",
  summary: "Redeliver",
  description:
    "Sends a delivery now, with the same body and `webhook-id`, and returns the result. If it fails, a pending delivery continues its schedule, and a finished one keeps its status.",
  params: deliveryParamsSchema,
  responses: {
    200: jsonResponse("The delivery, whether it succeeded or failed.", deliveryAnswerSchema, {
      delivery: exampleDelivery,
    }),
  },
  errors: {
    not_found: "The key has no webhook with this id, or the webhook no such delivery.",
    conflict: "An attempt is in progress, or the webhook is deactivated.",
    rate_limited: `The account has sent ${maxSentPerMinute} tests and redeliveries in this minute.`,
    service_unavailable: unavailable,
  },
});

export const deliveryEndpoints = [testWebhookEndpoint, listDeliveriesEndpoint, redeliverEndpoint];
