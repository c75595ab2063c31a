import type { Context } from "#lib/platform/context";
import { DecryptionError, decryptText, type EncryptionKeys, encryptText } from "#lib/platform/encryption";
import { hashAddress } from "#lib/platform/mail/index";
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

/** Returns the address of a digest's contact; null if none of the keys decrypts it. */
export function readAddress(keys: EncryptionKeys, digestId: string, sealed: string): string | null {
  try {
    return openContact(keys, digestId, sealed).address;
  } catch (error) {
    if (error instanceof DecryptionError) return null;
    throw error;
  }
}

/** Returns the hashes of an address with each key, the first one first. The first one is stored; all of them find its list. */
export function listHashes(keys: EncryptionKeys, address: string): [string, ...string[]] {
  return keys.map((key) => hashAddress(key, address, "digest")) as [string, ...string[]];
}

/** Re-encrypts with the first key all contacts that another key encrypted: see `reencryptRows`. */
export async function reencryptContacts(
  context: Pick<Context, "database" | "log"> & { keys: EncryptionKeys },
  options: { signal?: AbortSignal } = {},
): Promise<ReencryptSummary> {
  const { database, keys } = context;
  type Row = Awaited<ReturnType<typeof findContactsWithout>>[number];
  const rows = {
    noun: "digest's address",
    find: (selection: Parameters<typeof findContactsWithout>[1]) => findContactsWithout(database, selection),
    reseal: ({ id, contact: sealed, addressHash }: Row): Row => {
      const contact = openContact(keys, id, sealed);
      const hash = addressHash && listHashes(keys, contact.address)[0];
      return { id, contact: sealContact(keys, id, contact), addressHash: hash };
    },
    replace: (old: Row, changed: Row) => replaceContact(database, old, changed),
  };
  return reencryptRows(context, rows, options);
}
