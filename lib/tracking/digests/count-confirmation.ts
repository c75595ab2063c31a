import { createHmac } from "node:crypto";
import { databaseStore } from "#lib/accounts/limits/index";
import type { Database } from "#lib/platform/database/index";
import type { EncryptionKeys } from "#lib/platform/encryption";
import { AppError } from "#lib/platform/errors";
import { observer } from "#lib/platform/observer";
import { secondMs } from "#lib/platform/time";

/** Most confirmation mails to one mailbox per UTC day, from all accounts together. */
export const maxConfirmationsPerAddress = 3;
/** Most confirmation mails that one account can cause per UTC day. */
export const maxConfirmationsPerAccount = 10;

/** Returns the mailbox of an address: without its `+tag`, in lower case. A leading `+` belongs to the name. */
function mailboxOf(address: string): string {
  return address.toLowerCase().replace(/(?<=[^@])\+.*(?=@)/, "");
}

/** Returns a hash of a mailbox that cannot be guessed without the key, and differs between days. */
function mailboxHash([key = new Uint8Array()]: EncryptionKeys, address: string, now: Date): string {
  const text = `${now.toISOString().slice(0, 10)} ${mailboxOf(address)}`;
  return createHmac("sha256", key).update(text).digest("base64url").slice(0, 22);
}

type CountInput = { accountId: string; address: string; keys: EncryptionKeys; now: Date };

/** Counts a mail that asks for a confirmation. Throws AppError rate_limited with `Retry-After`. */
export async function countConfirmation(
  database: Database,
  { accountId, address, keys, now }: CountInput,
): Promise<void> {
  const store = databaseStore(database);
  const limits = [
    { subject: `mail:account:${accountId}`, limit: maxConfirmationsPerAccount, whom: "your account" },
    { subject: `mail:${mailboxHash(keys, address, now)}`, limit: maxConfirmationsPerAddress, whom: "this address" },
  ];
  for (const { subject, limit, whom } of limits) {
    const { allowed, resetAt } = await store.take(subject, limit, now);
    if (allowed) continue;
    observer()?.refused("mail");
    const message = `At most ${limit} mails a day ask for a confirmation for ${whom}. Try again after ${resetAt.toISOString()}.`;
    const seconds = Math.max(1, Math.ceil((resetAt.getTime() - now.getTime()) / secondMs));
    throw new AppError("rate_limited", message, { headers: { "Retry-After": String(seconds) } });
  }
}
