import type { Caller } from "#lib/accounts/keys/index";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { type EncryptionKeys, requireEncryptionKeys } from "#lib/platform/encryption";
import { AppError } from "#lib/platform/errors";
import { inactiveWebhook, ownerOf, unknownWebhook } from "./owner";
import type { SecretRotation } from "./schemas";
import { generateSecret, sealSecret } from "./secrets";
import { findWebhook, replaceSecret } from "./store";

/** How long the secret before signs too, in milliseconds. */
const graceMs = 24 * 60 * 60 * 1_000;

type RotateContext = { caller: Caller; clock: Clock; database: Database };

/**
 * Gives a webhook a new secret; the one before signs beside it for 24 hours. Throws AppError: not_found, and conflict
 * where the webhook is deactivated or another rotation came first.
 */
export async function rotateSecret(
  { caller, clock, database }: RotateContext,
  { params: { id } }: { params: { id: string } },
  keys: EncryptionKeys = requireEncryptionKeys(),
): Promise<SecretRotation> {
  const webhook = await findWebhook(database, ownerOf(caller), id);
  if (!webhook) throw unknownWebhook(id);
  if (!webhook.active) throw inactiveWebhook(webhook);
  const at = clock.now();
  const secret = generateSecret();
  const previousUntil = new Date(at.getTime() + graceMs);
  const change = { from: webhook.secret, to: sealSecret(keys, id, secret), previousUntil, at };
  if (await replaceSecret(database, id, change)) {
    return { id, secret, previous_secret_until: previousUntil.toISOString() };
  }
  throw new AppError("conflict", "The webhook changed meanwhile. Look at it, and try again.");
}
