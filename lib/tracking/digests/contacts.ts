import type { Database } from "#lib/platform/database/index";
import { decryptText, type EncryptionKeys, encryptText } from "#lib/platform/encryption";
import type { Log } from "#lib/platform/log";
import { type ReencryptSummary, reencryptRows } from "#lib/platform/reencrypt-rows";
import { findContactsWithout, replaceContact } from "./store";

/** What is stored encrypted of a digest. */
export type Contact = { address: string; unsubscribeToken: string };

/** Encrypts the contact of a digest. It cannot be decrypted for another digest. */
export function sealContact(keys: EncryptionKeys, digestId: string, contact: Contact): string {
  return encryptText(keys, JSON.stringify(contact), `digest:${digestId}`);
}

/** Decrypts the contact of a digest. Throws DecryptionError. */
export function openContact(keys: EncryptionKeys, digestId: string, sealed: string): Contact {
  return JSON.parse(decryptText(keys, sealed, `digest:${digestId}`)) as Contact;
}

/** Re-encrypts with the first key all contacts that another key encrypted: see `reencryptRows`. */
export async function reencryptContacts(
  context: { database: Database; log: Log; keys: EncryptionKeys },
  options: { signal?: AbortSignal } = {},
): Promise<ReencryptSummary> {
  const { database, keys } = context;
  type Row = Awaited<ReturnType<typeof findContactsWithout>>[number];
  const rows = {
    noun: "digest's address",
    find: (selection: Parameters<typeof findContactsWithout>[1]) => findContactsWithout(database, selection),
    reseal: ({ id, contact }: Row): Row => ({ id, contact: sealContact(keys, id, openContact(keys, id, contact)) }),
    replace: (old: Row, { contact }: Row) => replaceContact(database, old, contact),
  };
  return reencryptRows(context, rows, options);
}
