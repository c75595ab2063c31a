import { type EncryptionKeys, encryptionKeys } from "#lib/platform/encryption";
import { hashMailbox } from "#lib/platform/mail/index";

const purpose = "account";

/** Returns the hashes of a mailbox with each key, the first one first. The first one is stored; all of them find accounts. */
export function mailboxHashes(keys: EncryptionKeys, address: string): [string, ...string[]] {
  return keys.map((key) => hashMailbox(key, address, purpose)) as [string, ...string[]];
}

/** Returns the hash to store with an account; null without an address or a key. */
export function storedMailbox(address: string | null | undefined, keys = encryptionKeys()): string | null {
  return address && keys ? mailboxHashes(keys, address)[0] : null;
}
