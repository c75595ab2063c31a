export { createWebhook, maxActiveCount } from "./create-webhook";
export { deleteWebhook } from "./delete-webhook";
export { listDeliveriesEndpoint, redeliverEndpoint, testWebhookEndpoint } from "./deliveries/endpoints";
export { listDeliveries } from "./deliveries/list-deliveries";
export { redeliver } from "./deliveries/redeliver";
export { sendTest } from "./deliveries/send-test";
export {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhooksEndpoint,
  rotateSecretEndpoint,
  webhookEndpoints,
} from "./endpoints";
export { listWebhooks } from "./list-webhooks";
export { type Enqueued, enqueueHighSignificance, type HighSignificance } from "./outbox/enqueue";
export { pruneWebhookEvents } from "./outbox/store";
export { type ReencryptSummary, reencryptSecrets } from "./reencrypt-secrets";
export { rotateSecret } from "./rotate-secret";
export {
  type DeliverContext,
  type DeliverOptions,
  type DeliverSummary,
  deliverWebhooks,
} from "./sending/deliver-webhooks";
export {
  createWebhookTool,
  deleteWebhookTool,
  listWebhooksTool,
  type WebhookToolContext,
  webhookTools,
} from "./tools";
