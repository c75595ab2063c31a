import { randomBytes } from "node:crypto";
import type { CallContext } from "#lib/accounts/keys/index";
import type { Context } from "#lib/platform/context";
import { decryptText, type EncryptionKeys, encryptText, requireEncryptionKeys } from "#lib/platform/encryption";
import { AppError } from "#lib/platform/errors";
import { type ReencryptSummary, reencryptRows } from "#lib/platform/reencrypt-rows";
import { dayMs } from "#lib/platform/time";
import { requireActive, requireWebhook } from "./require-webhook";
import type { SecretRotation } from "./schemas";
import { findSecretsWithout, replaceSealed, replaceSecret, type SealedSecrets } from "./store";

/** Prefix of every signing secret. */
const secretPrefix = "whsec_";
const secretByteSize = 32;

/** Returns a new signing secret in the format of Standard Webhooks: the prefix and 32 random bytes in base64. */
export function generateSecret(): string {
  return `${secretPrefix}${randomBytes(secretByteSize).toString("base64")}`;
}

/** Encrypts a secret for its webhook's row. It cannot be decrypted for another webhook. */
export function sealSecret(keys: EncryptionKeys, webhookId: string, secret: string): string {
  return encryptText(keys, secret, `webhook:${webhookId}`);
}

/** Decrypts the secret of a webhook's row. Throws DecryptionError. */
export function openSecret(keys: EncryptionKeys, webhookId: string, sealed: string): string {
  return decryptText(keys, sealed, `webhook:${webhookId}`);
}

/** How long the previous secret signs too. */
const graceMs = dayMs;

/**
 * Replaces a webhook's secret and returns the new one; the previous one signs too for 24 hours. Throws AppError
 * not_found, and conflict if the webhook is deactivated or another rotation came first.
 */
export async function rotateSecret(
  context: CallContext,
  { params: { id } }: { params: { id: string } },
  keys: EncryptionKeys = requireEncryptionKeys(),
): Promise<SecretRotation> {
  const { clock, database } = context;
  const webhook = await requireWebhook(context, id);
  requireActive(webhook);
  const at = clock.now();
  const secret = generateSecret();
  const previousUntil = new Date(at.getTime() + graceMs);
  const change = { from: webhook.secret, to: sealSecret(keys, id, secret), previousUntil, at };
  if (await replaceSecret(database, id, change)) {
    return { id, secret, previous_secret_until: previousUntil.toISOString() };
  }
  throw new AppError("conflict", "The webhook was changed at the same time. Check it and try again.");
}

/** Re-encrypts with the first key all secrets that another key encrypted: see `reencryptRows`. */
export async function reencryptSecrets(
  context: Pick<Context, "database" | "log"> & { keys: EncryptionKeys },
  options: { signal?: AbortSignal } = {},
): Promise<ReencryptSummary> {
  const { database, keys } = context;
  const reseal = ({ id, secret, previousSecret }: SealedSecrets): SealedSecrets => {
    const resealed = (sealed: string) => sealSecret(keys, id, openSecret(keys, id, sealed));
    return { id, secret: resealed(secret), previousSecret: previousSecret && resealed(previousSecret) };
  };
  const rows = {
    noun: "webhook's secret",
    find: (selection: Parameters<typeof findSecretsWithout>[1]) => findSecretsWithout(database, selection),
    replace: (old: SealedSecrets, sealed: SealedSecrets) => replaceSealed(database, old, sealed),
  };
  return reencryptRows(context, { ...rows, reseal }, options);
}
