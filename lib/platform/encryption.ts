import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { config } from "./config";
import { AppError } from "./errors";

/**
 * Texts that are encrypted at rest, with AES-256-GCM: `v1.<key id>.<nonce>.<ciphertext and tag>`, the last two in
 * base64url. The key id is the first 8 hex digits of the key's SHA-256.
 */
const algorithm = "aes-256-gcm";
const formatVersion = "v1";
const nonceByteSize = 12;
const tagByteSize = 16;

/** Keys of 32 bytes each: the first one encrypts, all of them decrypt. */
export type EncryptionKeys = readonly Uint8Array[];

/** A text cannot be decrypted; the message says why, and holds nothing of it. */
export class DecryptionError extends Error {
  override readonly name = "DecryptionError";
}

/** How texts name the key that they are encrypted with. */
export function encryptionKeyId(key: Uint8Array): string {
  return createHash("sha256").update(key).digest("hex").slice(0, 8);
}

/** What every text begins with that a key encrypted. */
export function encryptedPrefix(key: Uint8Array): string {
  return `${formatVersion}.${encryptionKeyId(key)}.`;
}

/**
 * Encrypts a text with the first key. `boundTo` says what the text belongs to, such as a row's id: with anything else
 * it is not decrypted, so that it cannot be moved elsewhere.
 */
export function encryptText([key]: EncryptionKeys, text: string, boundTo: string): string {
  if (!key) throw new Error("there is no key to encrypt with");
  const nonce = randomBytes(nonceByteSize);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(boundTo, "utf8"));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `${encryptedPrefix(key)}${nonce.toString("base64url")}.${sealed.toString("base64url")}`;
}

/** The text that `encryptText` was given. Throws DecryptionError. */
export function decryptText(keys: EncryptionKeys, encrypted: string, boundTo: string): string {
  const [version, keyId, nonce = "", sealed = "", ...more] = encrypted.split(".");
  const bytes = Buffer.from(sealed, "base64url");
  if (version !== formatVersion || more.length > 0 || bytes.byteLength < tagByteSize) {
    throw new DecryptionError("this is no encrypted text");
  }
  const key = keys.find((candidate) => encryptionKeyId(candidate) === keyId);
  if (!key) throw new DecryptionError(`the key ${keyId} is not among ENCRYPTION_KEYS`);
  try {
    const options = { authTagLength: tagByteSize };
    const decipher = createDecipheriv(algorithm, key, Buffer.from(nonce, "base64url"), options)
      .setAAD(Buffer.from(boundTo, "utf8"))
      .setAuthTag(bytes.subarray(-tagByteSize));
    return Buffer.concat([decipher.update(bytes.subarray(0, -tagByteSize)), decipher.final()]).toString("utf8");
  } catch {
    throw new DecryptionError(`the text was changed, or is not one of key ${keyId}`);
  }
}

let machineKeys: EncryptionKeys | undefined;

/** Gives this process the keys of its machine, for where none are configured. */
export function provideEncryptionKeys(keys: EncryptionKeys): void {
  machineKeys = keys;
}

/** The configured keys, else the machine's; undefined where there are none. */
export function encryptionKeys(): EncryptionKeys | undefined {
  return config().ENCRYPTION_KEYS ?? machineKeys;
}

/** The keys. Throws AppError service_unavailable where there are none. */
export function requireEncryptionKeys(): EncryptionKeys {
  const keys = encryptionKeys();
  if (keys) return keys;
  const message = "This keeps a secret, and no key is configured to encrypt it with. Set ENCRYPTION_KEYS.";
  throw new AppError("service_unavailable", message);
}
