import { AppError } from "#lib/platform/errors";
import { dayMs } from "#lib/platform/time";
import { type KeyContext, newKey } from "./create-key";
import type { KeyRotation } from "./schemas";
import { replaceKey, type StoredKey } from "./store";
import type { Caller } from "./verify-key";

/** How long a key remains valid after a rotation with grace. */
const graceMs = dayMs;

function describeGrace({ expiresAt, rotatedAt }: StoredKey): string {
  const isWhole = Number(expiresAt) - Number(rotatedAt) === graceMs;
  return isWhole ? "24 hours" : `until ${expiresAt?.toISOString()}, when the old key expires`;
}

/**
 * Replaces the calling key with a new one. The old key stops working immediately, or with grace after 24 hours but not
 * after its own expiry. Both share one limit. Throws AppError unauthorized for a caller without a key, and for a key that
 * was already rotated.
 */
export async function rotateKey(
  context: KeyContext & { caller: Caller },
  { query: { grace } }: { query: { grace?: "true" | undefined } },
): Promise<KeyRotation> {
  const { keyId } = context.caller;
  if (keyId === null) throw new AppError("unauthorized", "Send the API key to rotate.");
  const rotatedAt = context.clock.now();
  const graceEnd = new Date(rotatedAt.getTime() + graceMs);
  const endOf = (expiresAt: Date | null) => {
    if (!grace) return rotatedAt;
    return expiresAt && expiresAt < graceEnd ? expiresAt : graceEnd;
  };
  const { key, row } = newKey(context, null);
  const { limitId: _ownLimit, expiresAt: _ownExpiry, ...inherits } = row;
  const replaced = await replaceKey(context.database, keyId, { rotatedAt, endOf, key: inherits });
  if (!replaced) throw new AppError("unauthorized", "This API key was already rotated. Use the key that replaced it.");
  const until = replaced.old.expiresAt?.toISOString();
  return {
    new_key: key,
    rotated_at: rotatedAt.toISOString(),
    note: `Store the new key now: it is not shown again. The old key ${grace ? `works until ${until}` : "has stopped working"}.`,
    ...(grace ? { grace_period: describeGrace(replaced.old) } : {}),
  };
}
