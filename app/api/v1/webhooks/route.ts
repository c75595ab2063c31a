import { jsonReply } from "#lib/server/http/reply";
import { handle, routes } from "#lib/server/http/route";
import {
  createWebhook,
  createWebhookEndpoint,
  deleteWebhook,
  deleteWebhookEndpoint,
  listWebhooks,
  listWebhooksEndpoint,
} from "#lib/tracking/webhooks/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(
  handle(listWebhooksEndpoint, listWebhooks),
  handle(createWebhookEndpoint, async (context, input) => jsonReply(await createWebhook(context, input), 201)),
  handle(deleteWebhookEndpoint, deleteWebhook),
);
