import { randomBytes } from "node:crypto";
import type { CallContext } from "#lib/accounts/keys/index";
import type { Context } from "#lib/platform/context";
import {
  DecryptionError,
  decryptText,
  type EncryptionKeys,
  encryptText,
  requireEncryptionKeys,
} from "#lib/platform/encryption";
import { AppError } from "#lib/platform/errors";
import { type ReencryptSummary, reencryptRows } from "#lib/platform/reencrypt-rows";
import { dayMs } from "#lib/platform/time";
import type { Webhook } from "#prisma/generated/client";
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

/** How long a replaced secret signs too. */
const graceMs = dayMs;
/** Most replaced secrets that sign too. */
const maxPreviousCount = 4;

/** A replaced secret, and the ISO time until which it signs too. */
type PreviousSecret = { secret: string; until: string };
type Previous = Pick<Webhook, "previousSecret" | "previousSecretUntil">;

/** Returns the replaced secrets that still sign at a time, the newest first. Throws DecryptionError. */
function openPrevious(
  keys: EncryptionKeys,
  webhookId: string,
  { previousSecret, previousSecretUntil: latest }: Previous,
  at: Date,
): PreviousSecret[] {
  if (previousSecret === null || latest === null || at >= latest) return [];
  const text = openSecret(keys, webhookId, previousSecret);
  // A single one is stored alone.
  if (text.startsWith(secretPrefix)) return [{ secret: text, until: latest.toISOString() }];
  return (JSON.parse(text) as PreviousSecret[]).filter(({ until }) => at < new Date(until));
}

/** Returns the secrets that sign at a time, the current one first. Throws DecryptionError. */
export function openSecrets(
  keys: EncryptionKeys,
  webhookId: string,
  { secret, ...previous }: Previous & Pick<Webhook, "secret">,
  at: Date,
): [string, ...string[]] {
  const replaced = openPrevious(keys, webhookId, previous, at).map((each) => each.secret);
  return [openSecret(keys, webhookId, secret), ...replaced];
}

/** Returns what a function decrypts; undefined if no key decrypts it. */
function ifReadable<Value>(open: () => Value): Value | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof DecryptionError) return undefined;
    throw error;
  }
}

/**
 * Replaces a webhook's secret and returns the new one; each replaced one signs too for 24 hours. Throws AppError not_found,
 * and conflict if the webhook is deactivated, another rotation came first, or `maxPreviousCount` replaced ones still sign.
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
  // A secret that cannot be read signs nothing, and rotating it is the remedy.
  const older = ifReadable(() => openPrevious(keys, id, webhook, at)) ?? [];
  const oldest = older[maxPreviousCount - 1];
  if (oldest) {
    const message = `${maxPreviousCount} replaced secrets of the webhook ${id} still sign. Rotate it again after ${oldest.until}.`;
    throw new AppError("conflict", message);
  }
  const current = ifReadable(() => openSecret(keys, id, webhook.secret));
  const previous = [...(current ? [{ secret: current, until: previousUntil.toISOString() }] : []), ...older];
  // A single one is stored as earlier versions do: they fail at a list, and one may still run during a deployment.
  const previousText = current && older.length === 0 ? current : JSON.stringify(previous);
  const sealed = { to: sealSecret(keys, id, secret), previous: sealSecret(keys, id, previousText) };
  const change = { from: webhook.secret, ...sealed, previousUntil, at };
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
