import * as z from "zod";
import type { CallContext } from "#lib/accounts/keys/index";
import { requireTier } from "#lib/accounts/plans/index";
import { cursorSchema, idPosition, limitSchema, nextCursorSchema, readCursor, writeCursor } from "#lib/contract/cursor";
import { firstFitting } from "#lib/contract/fit-json";
import { defineTool, maxResultLength, reads, withRecoveryHint } from "#lib/contract/tool";
import type { Context } from "#lib/platform/context";
import { AppError } from "#lib/platform/errors";
import { changeWebhook, createWebhook, deleteWebhook, listWebhooks } from "./manage-webhooks";
import {
  createWebhookBodySchema,
  highSignificanceEvent,
  maxActiveCount,
  webhookAnswerSchema,
  webhookCreationSchema,
  webhookDeactivationSchema,
  webhookFiltersSchema,
  webhookIdSchema,
  webhookSchema,
} from "./schemas";

type WebhookToolContext = CallContext & Pick<Context, "ids">;

/** Characters available for the list; the rest is for the result's other fields. */
const maxListLength = maxResultLength - 1_000;
/** Most webhooks on a page. */
const maxPageSize = 50;
/** Longest URL of a webhook. */
const maxUrlLength = 2_048;

export const listWebhooksTool = defineTool({
  name: "list_webhooks",
  title: "List webhooks",
  description:
    'Lists the active webhooks of your key, newest first, optionally followed by deactivated ones with the reason. Secrets are not shown. Use it to get an id for delete_webhook, or to see whether deliveries fail. Example: {"include_inactive": true}',
  annotations: reads,
  input: z.strictObject({
    include_inactive: z.boolean().default(false).describe("Whether to include deactivated webhooks."),
    limit: limitSchema(maxPageSize),
    cursor: cursorSchema,
  }),
  output: z.object({
    count: z.int().min(0).describe("Webhooks on this page."),
    total: z.int().min(0).describe("Webhooks on all pages."),
    webhooks: z.array(webhookSchema),
    next_cursor: nextCursorSchema,
  }),
  async run(context: WebhookToolContext, { include_inactive, limit, cursor }) {
    requireTier(context.caller, "pro");
    const scope = `list_webhooks ${include_inactive}`;
    const after = readCursor(cursor, { scope, form: idPosition });
    const query = { include: include_inactive ? ("inactive" as const) : undefined };
    const all = (await listWebhooks(context, { query })).webhooks;
    const start = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
    if (after !== null && start === 0) {
      throw new AppError("invalid_cursor", "The list has changed. Call again without a cursor.");
    }
    const webhooks = firstFitting(all.slice(start, start + limit), maxListLength);
    const last = start + webhooks.length < all.length ? webhooks.at(-1) : undefined;
    const next_cursor = last ? writeCursor(scope, last.id) : null;
    return { count: webhooks.length, total: all.length, webhooks, next_cursor };
  },
});

/** Hints for errors about an HTTP request body. */
const creationHints = {
  conflict: (message: string) => `${message} Use delete_webhook for that.`,
  bad_request: (message: string) => {
    if (message.startsWith('Body field "filters')) return message;
    return `The url was rejected: ${message.replace(/^Body field "url": /, "")} Pass the public URL of a receiver.`;
  },
};

export const createWebhookTool = defineTool({
  name: "create_webhook",
  title: "Register a webhook",
  description: `Registers a URL that receives signed notifications of changes of high significance. The result has the signing secret, only this once: pass it to the receiver's operator, and do not show it elsewhere. At most ${maxActiveCount} webhooks can be active. Use it only for a receiver that the user named; to just see changes, use list_reports. Example: {"url": "https://example.com/hooks/changes", "events": ["${highSignificanceEvent}"]}`,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    url: createWebhookBodySchema.shape.url
      .max(maxUrlLength)
      .describe("Public http(s) URL that deliveries are sent to."),
    events: createWebhookBodySchema.shape.events,
    filters: webhookFiltersSchema.optional().describe("Default: all changes."),
    format: createWebhookBodySchema.shape.format,
  }),
  output: z.object(webhookCreationSchema.shape),
  async run(context: WebhookToolContext, body) {
    requireTier(context.caller, "pro");
    return withRecoveryHint(createWebhook(context, { body }), creationHints);
  },
});

const updateWebhookTool = defineTool({
  name: "update_webhook",
  title: "Change a webhook's filters",
  description:
    'Replaces all filters of a webhook of your key, for changes that are reported from then on. Repeat present filters that are to stay; list_webhooks has them. Example: {"id": "019aa5d0-3c20-7e41-8b5a-0f1e2d3c4b5a", "filters": {"categories": ["pricing-change"]}}',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    id: webhookIdSchema.describe("The webhook's id."),
    filters: webhookFiltersSchema.nullable().describe("The new filters; null removes them all."),
  }),
  output: z.object(webhookAnswerSchema.shape),
  async run(context: WebhookToolContext, { id, filters }) {
    requireTier(context.caller, "pro");
    const not_found = `Your key has no webhook ${id}. Call list_webhooks to find ids.`;
    return withRecoveryHint(changeWebhook(context, { params: { id }, body: { filters } }), { not_found });
  },
});

export const deleteWebhookTool = defineTool({
  name: "delete_webhook",
  title: "Deactivate a webhook",
  description:
    'Permanently deactivates a webhook of your key: nothing more is sent to it, and pending deliveries are cancelled. Use it only if the user wants to remove that webhook, with its id from list_webhooks. Example: {"id": "019aa5d0-3c20-7e41-8b5a-0f1e2d3c4b5a"}',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({ id: webhookIdSchema.describe("The webhook's id.") }),
  output: z.object(webhookDeactivationSchema.shape),
  async run(context: WebhookToolContext, { id }) {
    requireTier(context.caller, "pro");
    const not_found = `Your key has no active webhook ${id}. Call list_webhooks to find ids.`;
    return withRecoveryHint(deleteWebhook(context, { query: { id } }), { not_found });
  },
});

export const webhookTools = [listWebhooksTool, createWebhookTool, updateWebhookTool, deleteWebhookTool];
