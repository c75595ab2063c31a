import type { Caller } from "#lib/accounts/keys/index";
import { contractTier } from "#lib/accounts/plans/index";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { type EncryptionKeys, requireEncryptionKeys } from "#lib/platform/encryption";
import { AppError } from "#lib/platform/errors";
import type { Ids } from "#lib/platform/ids";
import { checkPublicUrl, OutboundError } from "#lib/platform/outbound/index";
import { ownerOf, webhookNotFound } from "./require-webhook";
import {
  maxActiveCount,
  type WebhookCreation,
  type WebhookDeactivation,
  type WebhookEventType,
  type WebhookItem,
  type WebhookList,
} from "./schemas";
import { generateSecret, sealSecret } from "./secrets";
import { cancelInactive } from "./sending/store";
import { deactivateOwned, findWebhooks, insertWebhook, type StoredWebhook } from "./store";

/** Most deactivated webhooks that are listed; the newest ones. */
const maxInactiveCount = 100;

/** Returns a new webhook in API form. */
function toCreated({ id, url, events, active, createdAt }: StoredWebhook): WebhookCreation["webhook"] {
  return { id, url, events: events as WebhookEventType[], active, created_at: createdAt.toISOString() };
}

/** Returns a webhook in the form of the list. */
function toWebhook(stored: StoredWebhook): WebhookItem {
  return { ...toCreated(stored), updated_at: stored.updatedAt.toISOString() };
}

/** Returns a webhook in the form of the list, with its failures and deactivation. */
function toDetailedWebhook(stored: StoredWebhook): WebhookItem {
  const { failingSince, deactivatedAt, deactivatedReason } = stored;
  return {
    ...toWebhook(stored),
    failing_since: failingSince?.toISOString() ?? null,
    deactivated_at: deactivatedAt?.toISOString() ?? null,
    deactivated_reason: deactivatedReason,
  };
}

type CreateContext = { caller: Caller; clock: Clock; ids: Ids; database: Database };
type CreateInput = { body: { url: string; events: WebhookEventType[] } };
type CreateOptions = { keys?: EncryptionKeys; check?: typeof checkPublicUrl };

async function requirePublicUrl(url: string, check: typeof checkPublicUrl): Promise<void> {
  try {
    await check(url);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw new AppError("bad_request", `Body field "url": ${error.message}.`, { cause: error });
  }
}

/**
 * Registers a webhook of the calling key and returns it with its secret, which is never shown again. Throws AppError
 * service_unavailable without an encryption key, bad_request if the URL is not public, and conflict if the key has
 * `maxActiveCount` active webhooks.
 */
export async function createWebhook(
  { caller, clock, ids, database }: CreateContext,
  { body: { url, events } }: CreateInput,
  { keys = requireEncryptionKeys(), check = checkPublicUrl }: CreateOptions = {},
): Promise<WebhookCreation> {
  const owner = ownerOf(caller);
  await requirePublicUrl(url, check);
  const id = ids.next();
  const secret = generateSecret();
  const row = { id, url, events, secret: sealSecret(keys, id, secret), at: clock.now() };
  const stored = await insertWebhook(database, owner, row, maxActiveCount);
  if (stored) return { webhook: toCreated(stored), secret };
  throw new AppError(
    "conflict",
    `This key already has ${maxActiveCount} active webhooks, the maximum. Delete one first.`,
  );
}

/** Returns the active webhooks of the calling key, newest first, with `include=inactive` followed by deactivated ones. */
export async function listWebhooks(
  { caller, database }: { caller: Caller; database: Database },
  { query: { include } }: { query: { include?: "inactive" | undefined } },
): Promise<WebhookList> {
  const owner = ownerOf(caller);
  const active = await findWebhooks(database, owner, { active: true, limit: maxActiveCount });
  const inactive = include ? await findWebhooks(database, owner, { active: false, limit: maxInactiveCount }) : [];
  const webhooks = [...active, ...inactive].map(include ? toDetailedWebhook : toWebhook);
  return { _meta: { count: webhooks.length, tier: contractTier(caller.tier) }, webhooks };
}

/**
 * Deactivates a webhook of the calling key: no further attempt starts, and pending deliveries are cancelled. Throws
 * AppError not_found if there is none or it is already deactivated.
 */
export async function deleteWebhook(
  { caller, clock, database }: { caller: Caller; clock: Clock; database: Database },
  { query: { id } }: { query: { id: string } },
): Promise<WebhookDeactivation> {
  const at = clock.now();
  const isDeactivated = await deactivateOwned(database, ownerOf(caller), id, { at, reason: "deleted by its owner" });
  if (!isDeactivated) throw webhookNotFound(id);
  await cancelInactive(database, { at, webhookId: id });
  return { deactivated: true, id };
}
