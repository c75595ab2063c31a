import type { Database } from "#lib/platform/database/index";
import type { EncryptionKeys } from "#lib/platform/encryption";
import { AppError } from "#lib/platform/errors";
import { hashMailbox } from "#lib/platform/mail/index";
import { observer } from "#lib/platform/observer";
import { secondMs } from "#lib/platform/time";
import { databaseStore } from "./store";
import { dayOf } from "./subjects";

/** Most mails with a link that one mailbox gets in a UTC day, whoever asks for them. */
export const maxMailsPerMailbox = 3;
/** Most mails with a link that one account, or one client network, can cause per UTC day. */
export const maxMailsPerSender = 10;

type CountInput = {
  /** Who asked for the mail, and how a message names it: "your account". */
  sender: { subject: string; name: string };
  address: string;
  keys: EncryptionKeys;
  now: Date;
};

/** Counts a mail with a link that somebody asked for. Throws AppError rate_limited with `Retry-After`. */
export async function countMail(
  database: Database,
  { sender, address, keys: [key = new Uint8Array()], now }: CountInput,
): Promise<void> {
  const store = databaseStore(database);
  // Shortened as the hashes of networks are; it differs between days.
  const mailbox = hashMailbox(key, address, dayOf(now)).slice(0, 22);
  const limits = [
    { subject: `mail:${sender.subject}`, limit: maxMailsPerSender, whom: sender.name },
    { subject: `mail:${mailbox}`, limit: maxMailsPerMailbox, whom: "this address" },
  ];
  for (const { subject, limit, whom } of limits) {
    const { allowed, resetAt } = await store.take(subject, limit, now);
    if (allowed) continue;
    observer()?.refused("mail");
    const message = `At most ${limit} mails with a link are sent a day for ${whom}. Try again after ${resetAt.toISOString()}.`;
    const seconds = Math.max(1, Math.ceil((resetAt.getTime() - now.getTime()) / secondMs));
    throw new AppError("rate_limited", message, { headers: { "Retry-After": String(seconds) } });
  }
}
