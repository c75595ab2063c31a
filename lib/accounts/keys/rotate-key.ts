import { AppError } from "#lib/platform/errors";
import { type KeyContext, newKey } from "./create-key";
import type { KeyRotation } from "./schemas";
import { replaceKey, type StoredKey } from "./store";
import type { Caller } from "./verify-key";

/** How long a key works on after its rotation with grace, in milliseconds. */
const graceMs = 24 * 60 * 60 * 1000;

function describeGrace({ expiresAt, rotatedAt }: StoredKey): string {
  const isWhole = Number(expiresAt) - Number(rotatedAt) === graceMs;
  return isWhole ? "24 hours" : `until ${expiresAt?.toISOString()}, when the old key expires`;
}

/**
 * Puts a new key in the place of the calling one, which ends at once, or with grace after 24 hours but never after its
 * own expiry. Both count on one limit. Throws AppError unauthorized for a caller without a key, and where the key was
 * rotated before.
 */
export async function rotateKey(
  context: KeyContext & { caller: Caller },
  { query: { grace } }: { query: { grace?: "true" | undefined } },
): Promise<KeyRotation> {
  const { keyId } = context.caller;
  if (keyId === null) throw new AppError("unauthorized", "Send the key that is to be rotated.");
  const rotatedAt = context.clock.now();
  const graceEnd = new Date(rotatedAt.getTime() + graceMs);
  const endOf = (expiresAt: Date | null) => {
    if (!grace) return rotatedAt;
    return expiresAt && expiresAt < graceEnd ? expiresAt : graceEnd;
  };
  const { key, row } = newKey(context, null);
  const { limitId: _ownLimit, expiresAt: _ownExpiry, ...inherits } = row;
  const replaced = await replaceKey(context.database, keyId, { rotatedAt, endOf, key: inherits });
  if (!replaced) throw new AppError("unauthorized", "This API key was rotated already. Use the key that replaced it.");
  const until = replaced.old.expiresAt?.toISOString();
  return {
    new_key: key,
    rotated_at: rotatedAt.toISOString(),
    note: `Store the new key now: it is not shown again. The old key ${grace ? `works until ${until}` : "has stopped working"}.`,
    ...(grace ? { grace_period: describeGrace(replaced.old) } : {}),
  };
}
