import { randomBytes } from "node:crypto";
import { decryptText, type EncryptionKeys, encryptText } from "#lib/platform/encryption";

/** What every signing secret begins with. */
export const secretPrefix = "whsec_";
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
