import { randomBytes } from "node:crypto";
import type { Caller } from "#lib/accounts/keys/index";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import {
  DecryptionError,
  decryptText,
  type EncryptionKeys,
  encryptedPrefix,
  encryptText,
  requireEncryptionKeys,
} from "#lib/platform/encryption";
import { AppError } from "#lib/platform/errors";
import type { Log } from "#lib/platform/log";
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

type RotateContext = { caller: Caller; clock: Clock; database: Database };

/**
 * Replaces a webhook's secret and returns the new one; the previous one signs too for 24 hours. Throws AppError
 * not_found, and conflict if the webhook is deactivated or another rotation came first.
 */
export async function rotateSecret(
  context: RotateContext,
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

const batchSize = 200;
const smallestId = "00000000-0000-0000-0000-000000000000";

type ReencryptContext = { database: Database; log: Log; keys: EncryptionKeys };

/** Result of a re-encryption, in webhooks. */
export type ReencryptSummary = {
  reencrypted: number;
  /** No configured key decrypts them: the webhook needs a new secret, or the server its old key. */
  unreadable: number;
};

function reseal({ log, keys }: ReencryptContext, { id, secret, previousSecret }: SealedSecrets): SealedSecrets | null {
  const resealed = (sealed: string) => sealSecret(keys, id, openSecret(keys, id, sealed));
  try {
    return { id, secret: resealed(secret), previousSecret: previousSecret && resealed(previousSecret) };
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    log.error({ webhookId: id, reason: error.message }, "could not decrypt a webhook's secret");
    return null;
  }
}

/**
 * Re-encrypts with the first key all secrets that another key encrypted. Afterwards the other keys can be removed. Can be
 * interrupted and called again; `signal` stops it between two batches.
 */
export async function reencryptSecrets(
  context: ReencryptContext,
  { signal }: { signal?: AbortSignal } = {},
): Promise<ReencryptSummary> {
  const { database, keys } = context;
  const [first] = keys;
  if (!first) throw new Error("no encryption key is configured");
  const summary = { reencrypted: 0, unreadable: 0 };
  let after = smallestId;
  while (!signal?.aborted) {
    const batch = await findSecretsWithout(database, { prefix: encryptedPrefix(first), after, limit: batchSize });
    for (const old of batch) {
      const sealed = reseal(context, old);
      if (!sealed) summary.unreadable += 1;
      else if (await replaceSealed(database, old, sealed)) summary.reencrypted += 1;
      after = old.id;
    }
    if (batch.length < batchSize) break;
  }
  return summary;
}
