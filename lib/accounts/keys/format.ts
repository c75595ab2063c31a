import { createHash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

/** What every key begins with. */
export const keyPrefix = "ltf_";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomLength = 32;
const checksumLength = 6;
const pattern = new RegExp(`^${keyPrefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** The CRC-32 of a text, in base62. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let place = 0; place < checksumLength; place += 1) {
    digits = `${alphabet[rest % alphabet.length]}${digits}`;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

/** A new key: the prefix, 190 bits of randomness, and the checksum of both, 42 characters in all. */
export function generateKey(): string {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]).join("");
  const body = `${keyPrefix}${random}`;
  return `${body}${checksumOf(body)}`;
}

/** Whether a text can be a key at all: a typo or a lost end shows in the checksum, without a look-up. */
export function isWellFormedKey(text: string): boolean {
  return pattern.test(text) && checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** What is stored of a key: its SHA-256, in hex. The key is random enough to need no salt. */
export function hashKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
