import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { dayMs, secondMs } from "#lib/platform/time";

const nonceByteSize = 32;
const noncePattern = /^[A-Za-z0-9_-]{43}$/;
/** A payment by bank transfer can take days to arrive. */
const maxAgeSeconds = (30 * dayMs) / secondMs;

const isEncrypted = (origin: string) => origin.startsWith("https:");

/** The `__Host-` prefix keeps other hosts of the domain from setting the cookie; browsers accept it only over TLS. */
function cookieName(origin: string): string {
  return isEncrypted(origin) ? "__Host-tapedeck_checkout" : "tapedeck_checkout";
}

/** Returns the nonce from a browser's cookies; null without a valid one. */
export function readNonce(cookieHeader: string | null, origin: string): string | null {
  const start = `${cookieName(origin)}=`;
  const pair = (cookieHeader ?? "").split(/; */).find((text) => text.startsWith(start));
  const value = pair?.slice(start.length) ?? "";
  return noncePattern.test(value) ? value : null;
}

/** Generates the nonce that identifies a browser. */
export function newNonce(): string {
  return randomBytes(nonceByteSize).toString("base64url");
}

/** Returns the `Set-Cookie` of a nonce: not readable by scripts, and not sent with requests from other sites. */
export function nonceCookie(nonce: string, origin: string): string {
  const attributes = ["Path=/", `Max-Age=${maxAgeSeconds}`, "HttpOnly", "SameSite=Lax"];
  return [`${cookieName(origin)}=${nonce}`, ...attributes, ...(isEncrypted(origin) ? ["Secure"] : [])].join("; ");
}

/** Returns the SHA-256 of a nonce in hexadecimal, which is stored in its place. */
export function hashNonce(nonce: string): string {
  return createHash("sha256").update(nonce).digest("hex");
}

/** Returns whether a nonce matches a stored hash. */
export function matchesNonce(nonce: string | null, hash: string): boolean {
  return nonce !== null && timingSafeEqual(Buffer.from(hashNonce(nonce)), Buffer.from(hash));
}
