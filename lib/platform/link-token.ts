import { createHash, randomBytes } from "node:crypto";

/** Returns a new token of a link in a mail: 32 random bytes in base64url. It alone authorizes the request. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Returns the hash by which a token is found: SHA-256 in hex. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
