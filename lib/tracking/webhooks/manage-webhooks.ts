import type * as z from "zod";
import type { CallContext } from "#lib/accounts/keys/index";
import { contractTier } from "#lib/accounts/plans/index";
import type { Context } from "#lib/platform/context";
import { type EncryptionKeys, requireEncryptionKeys } from "#lib/platform/encryption";
import { AppError } from "#lib/platform/errors";
import { type checkPublicUrl, requirePublicUrl } from "#lib/platform/outbound/index";
import { type ChangeFilters, readFilters, tellUnknownModels, toFilters } from "#lib/tracking/change-filters/index";
import { ownerOf, requireActive, requireWebhook } from "./require-webhook";
import {
  type createWebhookBodySchema,
  maxActiveCount,
  minHighSignificance,
  type WebhookAnswer,
  type WebhookCreation,
  type WebhookDeactivation,
  type WebhookEventType,
  type WebhookItem,
  type WebhookList,
  type WebhookPurge,
} from "./schemas";
import { generateSecret, sealSecret } from "./secrets";
import { cancelInactive } from "./sending/store";
import {
  deactivateWebhook,
  deleteWebhooksOf,
  findWebhooks,
  insertWebhook,
  replaceFilters,
  type StoredWebhook,
} from "./store";

/** Most deactivated webhooks that are listed; the newest ones. */
const maxInactiveCount = 100;

/** Returns a new webhook in API form. */
function toCreated({
  id,
  url,
  events,
  format,
  active,
  createdAt,
  ...stored
}: StoredWebhook): WebhookCreation["webhook"] {
  // Earlier versions stored lower ones, which the schema refuses.
  const isLower = stored.minSignificance !== null && stored.minSignificance < minHighSignificance;
  const filters = toFilters({ ...stored, ...(isLower && { minSignificance: null }) });
  const webhook = { id, url, events: events as WebhookEventType[], active, created_at: createdAt.toISOString() };
  return { ...webhook, ...(filters && { filters }), ...(format !== "json" && { format }) };
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

type CreateContext = CallContext & Pick<Context, "ids">;
type CreateOptions = { keys?: EncryptionKeys; check?: typeof checkPublicUrl };

/**
 * Registers a webhook of the calling key and returns it with its secret, which is never shown again. Throws AppError
 * service_unavailable without an encryption key, bad_request if the URL is not public or a filter names an unknown vendor, and conflict if the key has
 * `maxActiveCount` active webhooks.
 */
export async function createWebhook(
  { caller, clock, ids, database }: CreateContext,
  { body: { url, events, filters = {}, format = "json" } }: { body: z.output<typeof createWebhookBodySchema> },
  { keys = requireEncryptionKeys(), check }: CreateOptions = {},
): Promise<WebhookCreation> {
  const owner = ownerOf(caller);
  const stored = await readFilters({ caller, database, clock }, filters);
  const unknown = await tellUnknownModels({ database, clock }, filters);
  await requirePublicUrl(url, check);
  const id = ids.next();
  const secret = generateSecret();
  const row = { ...stored, id, url, events, format, secret: sealSecret(keys, id, secret), at: clock.now() };
  const inserted = await insertWebhook(database, owner, row, maxActiveCount);
  if (inserted) return { webhook: toCreated(inserted), secret, ...unknown };
  throw new AppError(
    "conflict",
    `This key already has ${maxActiveCount} active webhooks, the maximum. Delete one first.`,
  );
}

/** Returns the active webhooks of the calling key, newest first, with `include=inactive` followed by deactivated ones. */
export async function listWebhooks(
  { caller, database }: Pick<CallContext, "caller" | "database">,
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
  { caller, clock, database }: CallContext,
  { query: { id } }: { query: { id: string } },
): Promise<WebhookDeactivation> {
  const at = clock.now();
  const { limitId } = ownerOf(caller);
  const isDeactivated = await deactivateWebhook(database, { id, limitId }, { at, reason: "deleted by its owner" });
  if (!isDeactivated) {
    await requireWebhook({ caller, database }, id);
    throw new AppError("not_found", `The webhook ${id} is already deactivated.`);
  }
  await cancelInactive(database, { at, webhookId: id });
  return { deactivated: true, id };
}

/** Deletes all webhooks of the account, with their secrets and deliveries. */
export async function purgeWebhooks({ caller, database }: CallContext): Promise<WebhookPurge> {
  return { deleted: await deleteWebhooksOf(database, ownerOf(caller)) };
}

/**
 * Replaces the filters of a webhook of the calling key, for changes that are reported from then on. Throws AppError
 * not_found, bad_request if a filter names an unknown vendor, and conflict if the webhook is deactivated.
 */
export async function changeWebhook(
  { caller, clock, database }: Omit<CreateContext, "ids">,
  { params: { id }, body: { filters } }: { params: { id: string }; body: { filters: ChangeFilters | null } },
): Promise<WebhookAnswer> {
  requireActive(await requireWebhook({ caller, database }, id));
  const stored = await readFilters({ caller, database, clock }, filters ?? {});
  const unknown = await tellUnknownModels({ database, clock }, filters);
  const changed = await replaceFilters(database, ownerOf(caller), id, { ...stored, at: clock.now() });
  if (!changed) throw new AppError("conflict", `The webhook ${id} was deactivated at the same time.`);
  return { webhook: toWebhook(changed), ...unknown };
}
