import { z } from "zod";
import type { Caller } from "#lib/accounts/keys/index";
import { requireTier } from "#lib/accounts/plans/index";
import { cursorSchema, idPosition, nextCursorSchema, readCursor, writeCursor } from "#lib/contract/cursor";
import { firstFitting } from "#lib/contract/fit-json";
import { defineTool, maxResultLength, reads, withRecoveryHint } from "#lib/contract/tool";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { AppError } from "#lib/platform/errors";
import type { Ids } from "#lib/platform/ids";
import { createWebhook, deleteWebhook, listWebhooks, maxActiveCount } from "./manage-webhooks";
import {
  createWebhookBodySchema,
  highSignificance,
  webhookCreationSchema,
  webhookDeactivationSchema,
  webhookEventTypeSchema,
  webhookIdSchema,
  webhookSchema,
} from "./schemas";

export type WebhookToolContext = { caller: Caller; clock: Clock; ids: Ids; database: Database };

/** Room for a result's own fields. */
const listRoom = maxResultLength - 1_000;
/** Longest URL that a webhook can have. */
const maxUrlLength = 2_048;

export const listWebhooksTool = defineTool({
  name: "list_webhooks",
  title: "List webhooks",
  description:
    'Lists the webhooks of your key, newest first: the active ones, and if asked for those that ended, with why. Secrets are not shown. Needs a key of the pro tier. Use it for an id before delete_webhook, or to see whether deliveries fail. Example: {"include_inactive": true}',
  annotations: reads,
  input: z.strictObject({
    include_inactive: z.boolean().default(false).describe("Whether those that were deactivated follow."),
    cursor: cursorSchema,
  }),
  output: z.object({
    count: z.int().min(0).describe("Webhooks on this page."),
    total: z.int().min(0).describe("Webhooks on all pages."),
    webhooks: z.array(webhookSchema),
    next_cursor: nextCursorSchema,
  }),
  async run(context: WebhookToolContext, { include_inactive, cursor }) {
    requireTier(context.caller, "pro");
    const scope = `list_webhooks ${include_inactive}`;
    const after = readCursor(cursor, { scope, form: idPosition });
    const query = { include: include_inactive ? ("inactive" as const) : undefined };
    const all = (await listWebhooks(context, { query })).webhooks;
    const start = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
    if (after !== null && start === 0) {
      throw new AppError("invalid_cursor", "The list has changed since. Call again without a cursor.");
    }
    const webhooks = firstFitting(all.slice(start), listRoom);
    const last = start + webhooks.length < all.length ? webhooks.at(-1) : undefined;
    const next_cursor = last ? writeCursor(scope, last.id) : null;
    return { count: webhooks.length, total: all.length, webhooks, next_cursor };
  },
});

/** A refusal that speaks of the body of an HTTP request, in the words of a tool's arguments. */
function inToolWords(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  if (error.code === "conflict") return new AppError("conflict", `${error.message} Call delete_webhook for that.`);
  if (error.code !== "bad_request") return error;
  const reason = error.message.replace(/^Body field "url": /, "");
  return new AppError("bad_request", `The url is refused: ${reason} Give the public address of a receiver.`);
}

export const createWebhookTool = defineTool({
  name: "create_webhook",
  title: "Register a webhook",
  description: `Registers an address that changes of high significance are sent to, signed. The signing secret is in the result, this once: hand it to the person or the program that runs the receiver, and show it nowhere else. Needs a key of the pro tier, which has ${maxActiveCount} active webhooks at most. Only for a receiver that the user named: to just see changes, use list_reports. Example: {"url": "https://example.com/hooks/changes"}`,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    url: createWebhookBodySchema.shape.url.max(maxUrlLength).describe("Where deliveries are sent to: public http(s)."),
    events: z
      .array(webhookEventTypeSchema)
      .length(1)
      .default([highSignificance])
      .describe(`What the webhook is told of; there is one event, ${highSignificance}.`),
  }),
  output: z.object(webhookCreationSchema.shape),
  async run(context: WebhookToolContext, { url, events }) {
    requireTier(context.caller, "pro");
    return createWebhook(context, { body: { url, events } }).catch((error: unknown) => {
      throw inToolWords(error);
    });
  },
});

export const deleteWebhookTool = defineTool({
  name: "delete_webhook",
  title: "Deactivate a webhook",
  description:
    'Ends a webhook of your key for good: nothing more is sent to it, and what waits is cancelled. Needs a key of the pro tier. Use it only when the user wants that webhook gone, with its id from list_webhooks. Example: {"id": "019aa5d0-3c20-7e41-8b5a-0f1e2d3c4b5a"}',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({ id: webhookIdSchema.describe("The webhook's id.") }),
  output: z.object(webhookDeactivationSchema.shape),
  async run(context: WebhookToolContext, { id }) {
    requireTier(context.caller, "pro");
    const not_found = `Your key has no active webhook ${id}. Call list_webhooks for the ids.`;
    return withRecoveryHint(deleteWebhook(context, { query: { id } }), { not_found });
  },
});

export const webhookTools = [listWebhooksTool, createWebhookTool, deleteWebhookTool];
