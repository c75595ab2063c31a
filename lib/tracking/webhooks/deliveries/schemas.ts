import * as z from "zod";
import { wholeNumberSchema } from "#lib/contract/query-schemas";
import { webhookEventTypeSchema, webhookIdSchema } from "../schemas";

/** Most tests and redeliveries of an account in a minute: each is a request to a server of its choice. */
export const maxSentPerMinute = 30;

export const deliveryParamsSchema = z.object({
  id: webhookIdSchema.describe("The webhook's id."),
  deliveryId: z.guid({ error: "must be a delivery's id, a UUID" }).describe("The delivery's id."),
});

export const deliveriesQuerySchema = z.object({
  cursor: z.string().optional().meta({ description: "`_meta.next_cursor` of the previous page.", format: "uuid" }),
  limit: wholeNumberSchema({ minimum: 1, maximum: 100, default: 50 }, "Maximum number of deliveries to return."),
});

const count = z.int().min(0);

const webhookAttemptSchema = z
  .object({
    id: z.guid(),
    created_at: z.iso.datetime(),
    http_status: z.int().nullable().describe("Null if no response was received."),
    error: z
      .string()
      .nullable()
      .describe("Why there was no complete response; null if there was one, or if its status is 2xx."),
    response_excerpt: z.string().nullable().describe("Beginning of the response body, at most 1 KiB."),
    duration_ms: count,
  })
  .meta({ id: "WebhookAttempt", description: "One POST of a delivery, and its result." });
export type AttemptItem = z.infer<typeof webhookAttemptSchema>;

/** Most attempts listed per delivery. */
export const maxShownAttemptCount = 20;

const webhookDeliverySchema = z
  .object({
    id: z.guid(),
    event_id: z.guid().describe("The `id` in the body, and the `webhook-id` of each attempt."),
    event: webhookEventTypeSchema,
    test: z.boolean(),
    vendor: z
      .object({ name: z.string(), slug: z.string() })
      .nullable()
      .describe("The vendor that changed; null for a test, or if the vendor or its report was deleted."),
    status: z
      .enum(["pending", "delivered", "dead", "cancelled"])
      .describe("`dead`: the last attempt failed; `cancelled`: the webhook was deactivated before delivery."),
    in_flight: z.boolean().describe("Whether an attempt is in progress."),
    attempt_count: count,
    next_attempt_at: z.iso.datetime().nullable().describe("Null if no attempt is scheduled."),
    created_at: z.iso.datetime(),
    finished_at: z.iso
      .datetime()
      .nullable()
      .describe("When its last attempt ended, or it was cancelled; null while it is pending."),
    attempts: z.array(webhookAttemptSchema).describe(`Newest first, at most ${maxShownAttemptCount}.`),
  })
  .meta({ id: "WebhookDelivery", description: "The delivery of one event to one webhook." });
export type DeliveryItem = z.infer<typeof webhookDeliverySchema>;

export const deliveryAnswerSchema = z
  .object({ delivery: webhookDeliverySchema })
  .meta({ id: "WebhookDeliveryAnswer", description: "A delivery after an attempt at it." });
export type DeliveryAnswer = z.infer<typeof deliveryAnswerSchema>;

export const deliveryListSchema = z
  .object({
    _meta: z.object({
      count: count.describe("Deliveries in this response."),
      next_cursor: z.guid().nullable().describe("The `cursor` of the next page; null on the last page."),
      has_more: z.boolean(),
    }),
    deliveries: z.array(webhookDeliverySchema),
  })
  .meta({ id: "WebhookDeliveryList", description: "A page of a webhook's deliveries, newest first." });
export type DeliveryList = z.infer<typeof deliveryListSchema>;
