import { createHash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

/** Prefix of every key. */
const keyPrefix = "ltf_";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomLength = 32;
const checksumLength = 6;
const pattern = new RegExp(`^${keyPrefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** Returns the CRC-32 of a text in base62. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let place = 0; place < checksumLength; place += 1) {
    digits = `${alphabet[rest % alphabet.length]}${digits}`;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

/** Generates a key of 42 characters: the prefix, 190 random bits, and a checksum of both. */
export function generateKey(): string {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]).join("");
  const body = `${keyPrefix}${random}`;
  return `${body}${checksumOf(body)}`;
}

/** Returns whether a text has the form and checksum of a key, which detects typos without a database query. */
export function isWellFormedKey(text: string): boolean {
  return pattern.test(text) && checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** Returns the SHA-256 of a key in hexadecimal, which is stored in its place. Keys are random, so it needs no salt. */
export function hashKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
