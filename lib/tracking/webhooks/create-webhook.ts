import type { Caller } from "#lib/accounts/keys/index";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { type EncryptionKeys, requireEncryptionKeys } from "#lib/platform/encryption";
import { AppError } from "#lib/platform/errors";
import type { Ids } from "#lib/platform/ids";
import { checkPublicUrl, OutboundError } from "#lib/platform/outbound/index";
import { ownerOf } from "./owner";
import type { WebhookCreation, WebhookEventType } from "./schemas";
import { generateSecret, sealSecret } from "./secrets";
import { insertWebhook } from "./store";
import { toCreated } from "./to-webhook";

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
