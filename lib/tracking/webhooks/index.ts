export { listDeliveriesEndpoint, redeliverEndpoint, testWebhookEndpoint } from "./deliveries/endpoints";
export { listDeliveries } from "./deliveries/list-deliveries";
export { redeliver, sendTest } from "./deliveries/send-now";
export {
  changeWebhookEndpoint,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhooksEndpoint,
  purgeWebhooksEndpoint,
  rotateSecretEndpoint,
  webhookEndpoints,
} from "./endpoints";
export { changeWebhook, createWebhook, deleteWebhook, listWebhooks, purgeWebhooks } from "./manage-webhooks";
export { type HighSignificance, prepareHighSignificance } from "./outbox/enqueue";
export { eventsPart, type PreparedEvent, pruneWebhookEvents } from "./outbox/store";
export { maxActiveCount, minHighSignificance } from "./schemas";
export { reencryptSecrets, rotateSecret } from "./secrets";
export { maxDeliveryWaitMs } from "./sending/attempt-delivery";
export { type DeliverOptions, deliverWebhooks, hasDueDelivery } from "./sending/deliver-webhooks";
export { recallDeliveries } from "./sending/store";
export { createWebhookTool, deleteWebhookTool, listWebhooksTool, webhookTools } from "./tools";
