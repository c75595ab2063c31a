import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const nonceByteSize = 32;
const noncePattern = /^[A-Za-z0-9_-]{43}$/;
/** A payment by bank transfer can take days to arrive. */
const maxAgeS = 30 * 24 * 60 * 60;

const isEncrypted = (origin: string) => origin.startsWith("https:");

/** With the prefix no other host of the domain can set it, but a browser takes that over TLS alone. */
function cookieName(origin: string): string {
  return isEncrypted(origin) ? "__Host-tapedeck_checkout" : "tapedeck_checkout";
}

/** What the browser holds that began a purchase; null where it holds nothing of the kind. */
export function readNonce(cookieHeader: string | null, origin: string): string | null {
  const start = `${cookieName(origin)}=`;
  const pair = (cookieHeader ?? "").split(/; */).find((text) => text.startsWith(start));
  const value = pair?.slice(start.length) ?? "";
  return noncePattern.test(value) ? value : null;
}

export function newNonce(): string {
  return randomBytes(nonceByteSize).toString("base64url");
}

/** A `Set-Cookie` for the browser alone: no script reads it, and other sites' requests do not carry it. */
export function nonceCookie(nonce: string, origin: string): string {
  const attributes = ["Path=/", `Max-Age=${maxAgeS}`, "HttpOnly", "SameSite=Lax"];
  return [`${cookieName(origin)}=${nonce}`, ...attributes, ...(isEncrypted(origin) ? ["Secure"] : [])].join("; ");
}

/** What is stored of a nonce: its SHA-256, in hex. */
export function hashNonce(nonce: string): string {
  return createHash("sha256").update(nonce).digest("hex");
}

/** Whether a browser holds the nonce of a hash. */
export function holdsNonce(nonce: string | null, hash: string): boolean {
  return nonce !== null && timingSafeEqual(Buffer.from(hashNonce(nonce)), Buffer.from(hash));
}
