import { createHash, timingSafeEqual } from "node:crypto";

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Whether an `Authorization` header is `Bearer <secret>`. Compares hashes, which have equal length, in constant time. */
export function isBearerSecret(authorization: string | null, secret: string): boolean {
  return timingSafeEqual(digest(authorization ?? ""), digest(`Bearer ${secret}`));
}
