import type { Caller } from "#lib/accounts/keys/index";
import { contractTier } from "#lib/accounts/plans/index";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { type EncryptionKeys, requireEncryptionKeys } from "#lib/platform/encryption";
import { AppError } from "#lib/platform/errors";
import type { Ids } from "#lib/platform/ids";
import { checkPublicUrl, OutboundError } from "#lib/platform/outbound/index";
import { ownerOf, unknownWebhook } from "./owner";
import type { WebhookCreation, WebhookDeactivation, WebhookEventType, WebhookItem, WebhookList } from "./schemas";
import { generateSecret, sealSecret } from "./secrets";
import { cancelEnded } from "./sending/store";
import { deactivateOwned, findWebhooks, insertWebhook, type StoredWebhook } from "./store";

/** A webhook as the answer to its registration has it. */
function toCreated({ id, url, events, active, createdAt }: StoredWebhook): WebhookCreation["webhook"] {
  return { id, url, events: events as WebhookEventType[], active, created_at: createdAt.toISOString() };
}

/** A webhook as listings have it. */
function toWebhook(stored: StoredWebhook): WebhookItem {
  return { ...toCreated(stored), updated_at: stored.updatedAt.toISOString() };
}

/** The same, with how it stands. */
function toWebhookWithStanding(stored: StoredWebhook): WebhookItem {
  const { failingSince, deactivatedAt, deactivatedReason } = stored;
  return {
    ...toWebhook(stored),
    failing_since: failingSince?.toISOString() ?? null,
    deactivated_at: deactivatedAt?.toISOString() ?? null,
    deactivated_reason: deactivatedReason,
  };
}

/** Most active webhooks of one key. */
export const maxActiveCount = 20;

type CreateContext = { caller: Caller; clock: Clock; ids: Ids; database: Database };
type CreateInput = { body: { url: string; events: WebhookEventType[] } };
type CreateOptions = { keys?: EncryptionKeys; check?: typeof checkPublicUrl };

async function refusePrivate(url: string, check: typeof checkPublicUrl): Promise<void> {
  try {
    await check(url);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw new AppError("bad_request", `Body field "url": ${error.message}.`, { cause: error });
  }
}

/**
 * Registers a webhook of the calling key; its secret is in the answer and never shown again. Throws AppError:
 * service_unavailable without an encryption key, bad_request for a URL that is not public, conflict at the bound.
 */
export async function createWebhook(
  { caller, clock, ids, database }: CreateContext,
  { body: { url, events } }: CreateInput,
  { keys = requireEncryptionKeys(), check = checkPublicUrl }: CreateOptions = {},
): Promise<WebhookCreation> {
  const owner = ownerOf(caller);
  await refusePrivate(url, check);
  const id = ids.next();
  const secret = generateSecret();
  const row = { id, url, events, secret: sealSecret(keys, id, secret), at: clock.now() };
  const stored = await insertWebhook(database, owner, row, maxActiveCount);
  if (stored) return { webhook: toCreated(stored), secret };
  throw new AppError("conflict", `This key has ${maxActiveCount} active webhooks, the most there can be. Delete one.`);
}

/** Most deactivated webhooks that are shown, the newest. */
const maxInactiveCount = 100;

/** The active webhooks of the calling key, newest first; with `include=inactive` those that ended follow. */
export async function listWebhooks(
  { caller, database }: { caller: Caller; database: Database },
  { query: { include } }: { query: { include?: "inactive" | undefined } },
): Promise<WebhookList> {
  const owner = ownerOf(caller);
  const active = await findWebhooks(database, owner, { active: true, limit: maxActiveCount });
  const inactive = include ? await findWebhooks(database, owner, { active: false, limit: maxInactiveCount }) : [];
  const webhooks = [...active, ...inactive].map(include ? toWebhookWithStanding : toWebhook);
  return { _meta: { count: webhooks.length, tier: contractTier(caller.tier) }, webhooks };
}

/**
 * Ends a webhook of the calling key: no attempt begins after that, and what waits is cancelled. Throws AppError
 * not_found where there is none, or it has ended already.
 */
export async function deleteWebhook(
  { caller, clock, database }: { caller: Caller; clock: Clock; database: Database },
  { query: { id } }: { query: { id: string } },
): Promise<WebhookDeactivation> {
  const at = clock.now();
  const isEnded = await deactivateOwned(database, ownerOf(caller), id, { at, reason: "deleted by its owner" });
  if (!isEnded) throw unknownWebhook(id);
  await cancelEnded(database, { at, webhookId: id });
  return { deactivated: true, id };
}
