import { createHmac } from "node:crypto";

/** Returns the mailbox of an address: without its `+tag`, in lower case. A leading `+` belongs to the name. */
function mailboxOf(address: string): string {
  return address.toLowerCase().replace(/(?<=[^@])\+.*(?=@)/, "");
}

/** Returns a hash of an address, as of a mailbox, but with its `+tag`. */
export function hashAddress(key: Uint8Array, address: string, purpose: string): string {
  return createHmac("sha256", key).update(`${purpose} ${address.toLowerCase()}`).digest("base64url");
}

/**
 * Returns a hash of the mailbox of an address, 43 characters in base64url, that cannot be guessed without the key. `purpose`
 * separates hashes that must not be compared.
 */
export function hashMailbox(key: Uint8Array, address: string, purpose: string): string {
  return createHmac("sha256", key)
    .update(`${purpose} ${mailboxOf(address)}`)
    .digest("base64url");
}
