import { handle, routes } from "#lib/server/http/route";
import { changeWebhook, changeWebhookEndpoint } from "#lib/tracking/webhooks/index";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(changeWebhookEndpoint, changeWebhook));
