import { eventBody } from "../outbox/enqueue";
import { insertTest } from "../outbox/store";
import { requireActive, requireWebhook } from "../require-webhook";
import { highSignificanceEvent } from "../schemas";
import { createSendContext, type RedeliverContext, redeliver, type SendOptions } from "./redeliver";
import type { DeliveryAnswer } from "./schemas";

const vendor = { name: "QuarryDB", slug: "quarrydb", domain: "quarrydb.example" };

/** `data` of a test event: a made-up vendor, in the form of a real change. */
const sampleData = {
  report: {
    id: "019aa5c2-8a10-7d51-b3c4-6f0e1a2b3c4d",
    vendor,
    summary: "The section on API keys of version 1 was removed; version 2 needs OAuth tokens.",
    significance: 5,
    categories: ["api-change", "deprecation"],
    sections_added: ["Authentication with OAuth"],
    sections_removed: ["API keys"],
    sections_modified: [],
    key_quotes: ["API keys of version 1 stop working on 1 March."],
    byte_size_change_pct: -3.2,
    analysis_mode: "realtime",
    created_at: "2026-11-21T09:30:00.000Z",
  },
  vendor: { ...vendor, category: "database" },
  diff: {
    id: "019aa5c2-7f10-7c3e-8f2a-5d1c0b7e9a44",
    previous_snapshot_id: "019a9c01-1b20-7a11-9c5d-2e4f6a8b0c1d",
    current_snapshot_id: "019aa5c2-7f0f-7b02-a1d4-93e5c7f10b26",
    lines_added: 4,
    lines_removed: 9,
    links_added: ["https://quarrydb.example/docs/oauth"],
    links_removed: ["https://quarrydb.example/docs/api-keys"],
    created_at: "2026-11-21T09:30:00.000Z",
  },
};

/** Delay before the delivery job picks up a test, in case this process ends before making the attempt itself. */
const jobDelayMs = 30_000;

/**
 * Sends a made-up event with `"test": true` in its body to a webhook now, once, and returns the delivery. A failure does
 * not count against the webhook. Throws AppError not_found, and conflict if the webhook is deactivated.
 */
export async function sendTest(
  context: RedeliverContext,
  { params: { id } }: { params: { id: string } },
  options: SendOptions = {},
): Promise<DeliveryAnswer> {
  const { clock, ids, database } = context;
  const { keys } = createSendContext(context, options);
  requireActive(await requireWebhook(context, id));
  const at = clock.now();
  const [eventId, deliveryId] = [ids.next(), ids.next()];
  const type = highSignificanceEvent;
  const body = eventBody({ id: eventId, type, at, data: sampleData, isTest: true });
  const nextAttemptAt = new Date(at.getTime() + jobDelayMs);
  await insertTest(
    database,
    { id: eventId, type, body, reportId: null, isTest: true, at },
    { id: deliveryId, webhookId: id, eventId, createdAt: at, nextAttemptAt },
  );
  return redeliver(context, { params: { id, deliveryId } }, { ...options, keys });
}
