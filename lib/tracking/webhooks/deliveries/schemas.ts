import { z } from "zod";
import { wholeNumberSchema } from "#lib/contract/query-schemas";
import { webhookEventTypeSchema, webhookIdSchema } from "../schemas";

export const deliveryParamsSchema = z.object({
  id: webhookIdSchema.meta({ description: "The webhook's id." }),
  deliveryId: z.guid({ error: "must be a delivery's id, a UUID" }).meta({ description: "The delivery's id." }),
});

export const deliveriesQuerySchema = z.object({
  cursor: z.string().optional().meta({
    description: "`_meta.next_cursor` of the page before: deliveries older than that one follow.",
    format: "uuid",
  }),
  limit: wholeNumberSchema({ minimum: 1, maximum: 100, default: 50 }, "Most deliveries of the page."),
});

const count = z.int().min(0);

const webhookAttemptSchema = z
  .object({
    id: z.guid(),
    created_at: z.iso.datetime(),
    http_status: z.int().nullable().meta({ description: "Null where no answer began." }),
    error: z.string().nullable().meta({ description: "Why there was no whole answer; null where there was one." }),
    response_excerpt: z.string().nullable().meta({ description: "The answer's beginning, at most 1 KiB." }),
    duration_ms: count,
  })
  .meta({ id: "WebhookAttempt", description: "One POST of a delivery, and what came of it." });
export type AttemptItem = z.infer<typeof webhookAttemptSchema>;

/** Attempts that a delivery is shown with at most. */
export const maxShownAttemptCount = 20;

const webhookDeliverySchema = z
  .object({
    id: z.guid(),
    event_id: z.guid().meta({ description: "The `id` in the body, and the `webhook-id` of each attempt." }),
    event: webhookEventTypeSchema,
    test: z.boolean(),
    status: z.enum(["pending", "delivered", "dead", "cancelled"]).meta({
      description: "`dead`: given up after the last attempt; `cancelled`: the webhook was deactivated first.",
    }),
    in_flight: z.boolean().meta({ description: "Whether an attempt is under way." }),
    attempt_count: count,
    next_attempt_at: z.iso.datetime().nullable().meta({ description: "Null where none waits." }),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
    attempts: z.array(webhookAttemptSchema).meta({
      description: `The newest first, at most ${maxShownAttemptCount}.`,
    }),
  })
  .meta({ id: "WebhookDelivery", description: "One event on its way to one webhook." });
export type DeliveryItem = z.infer<typeof webhookDeliverySchema>;

export const deliveryAnswerSchema = z
  .object({ delivery: webhookDeliverySchema })
  .meta({ id: "WebhookDeliveryAnswer", description: "A delivery after an attempt at it." });
export type DeliveryAnswer = z.infer<typeof deliveryAnswerSchema>;

export const deliveryListSchema = z
  .object({
    _meta: z.object({
      count: count.meta({ description: "Deliveries in this answer." }),
      next_cursor: z.guid().nullable().meta({ description: "The `cursor` of the next page; null on the last." }),
      has_more: z.boolean(),
    }),
    deliveries: z.array(webhookDeliverySchema),
  })
  .meta({ id: "WebhookDeliveryList", description: "A page of a webhook's deliveries, newest first." });
export type DeliveryList = z.infer<typeof deliveryListSchema>;
