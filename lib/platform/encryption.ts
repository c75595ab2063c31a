import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { config } from "./config";
import { notConfigured } from "./errors";

/**
 * Encryption at rest with AES-256-GCM. Format: `v1.<key id>.<nonce>.<ciphertext and tag>`, the last two in base64url.
 * The key id is the first 8 hex digits of the key's SHA-256.
 */
const algorithm = "aes-256-gcm";
const formatVersion = "v1";
const nonceByteSize = 12;
const tagByteSize = 16;

/** Keys of 32 bytes each. The first one encrypts; all of them decrypt. */
export type EncryptionKeys = readonly Uint8Array[];

/** A text cannot be decrypted. The message says why and contains nothing of the text. */
export class DecryptionError extends Error {
  override readonly name = "DecryptionError";
}

/** Returns the id by which encrypted texts name their key. */
function encryptionKeyId(key: Uint8Array): string {
  return createHash("sha256").update(key).digest("hex").slice(0, 8);
}

/** Returns the prefix of every text encrypted with a key. */
export function encryptedPrefix(key: Uint8Array): string {
  return `${formatVersion}.${encryptionKeyId(key)}.`;
}

/**
 * Encrypts a text with the first key. `boundTo` names its owner, such as a row's id: with another value it cannot be
 * decrypted, so that it cannot be moved to another row.
 */
export function encryptText([key]: EncryptionKeys, text: string, boundTo: string): string {
  if (!key) throw new Error("there is no key to encrypt with");
  const nonce = randomBytes(nonceByteSize);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(boundTo, "utf8"));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `${encryptedPrefix(key)}${nonce.toString("base64url")}.${sealed.toString("base64url")}`;
}

/** Decrypts what `encryptText` returned. Throws DecryptionError. */
export function decryptText(keys: EncryptionKeys, encrypted: string, boundTo: string): string {
  const [version, keyId, nonce = "", sealed = "", ...more] = encrypted.split(".");
  const bytes = Buffer.from(sealed, "base64url");
  if (version !== formatVersion || more.length > 0 || bytes.byteLength < tagByteSize) {
    throw new DecryptionError("not an encrypted text");
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
    throw new DecryptionError(`the text was modified, or was not encrypted with key ${keyId}`);
  }
}

let machineKeys: EncryptionKeys | undefined;

/** Sets the keys to use if none are configured; undefined: none. */
export function provideEncryptionKeys(keys: EncryptionKeys | undefined): void {
  machineKeys = keys;
}

/** Returns the configured keys, else those of the data folder; undefined without any. */
export function encryptionKeys(): EncryptionKeys | undefined {
  return config().ENCRYPTION_KEYS ?? machineKeys;
}

/** Returns the keys. Throws AppError service_unavailable without any. */
export function requireEncryptionKeys(): EncryptionKeys {
  const keys = encryptionKeys();
  if (keys) return keys;
  throw notConfigured("This server cannot store secrets, which this needs.", "ENCRYPTION_KEYS is not set");
}
