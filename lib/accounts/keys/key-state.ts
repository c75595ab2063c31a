import type { StoredKey } from "./store";

/** State of a key. `grace`: rotated but still accepted for a while. Only `valid` and `grace` keys are accepted. */
export type KeyState = "valid" | "grace" | "rotated" | "expired" | "revoked";

/** Returns the state of a key at a point in time. */
export function keyState({ expiresAt, rotatedAt, revokedAt }: StoredKey, now: Date): KeyState {
  if (revokedAt) return "revoked";
  const isOver = expiresAt !== null && expiresAt <= now;
  if (!rotatedAt) return isOver ? "expired" : "valid";
  // Compared with the time of rotation, not with `now`: without grace, clock differences must not keep the key valid.
  const hasGrace = expiresAt === null || expiresAt > rotatedAt;
  return hasGrace && !isOver ? "grace" : "rotated";
}
