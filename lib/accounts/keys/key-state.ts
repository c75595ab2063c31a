import type { StoredKey } from "./store";

/** `grace`: rotated, and still working for a while. All but the first two are ends. */
export type KeyState = "valid" | "grace" | "rotated" | "expired" | "revoked";

/** What a key is good for at a moment. */
export function keyState({ expiresAt, rotatedAt, revokedAt }: StoredKey, now: Date): KeyState {
  if (revokedAt) return "revoked";
  const isOver = expiresAt !== null && expiresAt <= now;
  if (!rotatedAt) return isOver ? "expired" : "valid";
  // Compared with the rotation, not with this clock: without grace the key ends at once on every instance.
  const hasGrace = expiresAt === null || expiresAt > rotatedAt;
  return hasGrace && !isOver ? "grace" : "rotated";
}
