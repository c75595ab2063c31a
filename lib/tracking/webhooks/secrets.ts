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
import { inactiveWebhook, ownerOf, unknownWebhook } from "./owner";
import type { SecretRotation } from "./schemas";
import { findSecretsWithout, findWebhook, replaceSealed, replaceSecret, type SealedSecrets } from "./store";

/** What every signing secret begins with. */
const secretPrefix = "whsec_";
const secretByteSize = 32;

/** A new signing secret: the prefix and 32 random bytes in base64, as Standard Webhooks writes them. */
export function generateSecret(): string {
  return `${secretPrefix}${randomBytes(secretByteSize).toString("base64")}`;
}

/** A secret as its webhook's row keeps it; in another row it cannot be opened. */
export function sealSecret(keys: EncryptionKeys, webhookId: string, secret: string): string {
  return encryptText(keys, secret, `webhook:${webhookId}`);
}

/** The secret that a webhook's row keeps. Throws DecryptionError. */
export function openSecret(keys: EncryptionKeys, webhookId: string, sealed: string): string {
  return decryptText(keys, sealed, `webhook:${webhookId}`);
}

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

const batchSize = 200;
const smallestId = "00000000-0000-0000-0000-000000000000";

type ReencryptContext = { database: Database; log: Log; keys: EncryptionKeys };

/** What became of the secrets, in webhooks. */
export type ReencryptSummary = {
  reencrypted: number;
  /** No key opens them: the webhook needs a new secret, or the server its old key. */
  unreadable: number;
};

function reseal({ log, keys }: ReencryptContext, { id, secret, previousSecret }: SealedSecrets): SealedSecrets | null {
  const anew = (sealed: string) => sealSecret(keys, id, openSecret(keys, id, sealed));
  try {
    return { id, secret: anew(secret), previousSecret: previousSecret && anew(previousSecret) };
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    log.error({ webhookId: id, reason: error.message }, "a webhook's secret cannot be decrypted");
    return null;
  }
}

/**
 * Encrypts with the first key whatever secret another one encrypted. Once it is done, the other keys can go. Goes on
 * where it stopped when it is called again; `signal` stops it between two batches.
 */
export async function reencryptSecrets(
  context: ReencryptContext,
  { signal }: { signal?: AbortSignal } = {},
): Promise<ReencryptSummary> {
  const { database, keys } = context;
  const [first] = keys;
  if (!first) throw new Error("there is no key to encrypt with");
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
