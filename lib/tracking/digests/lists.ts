import type { Database } from "#lib/platform/database/index";
import type { EncryptionKeys } from "#lib/platform/encryption";
import { AppError } from "#lib/platform/errors";
import { maxFilterVendorCount } from "#lib/tracking/change-filters/index";
import type { Digest } from "#prisma/generated/client";
import { listHashes, openContact } from "./contacts";
import { type Confirmation, confirmPending, deletePending, lockList, updateList } from "./store";

/**
 * A digest without an account: an address follows a list of vendors. It has one list; confirming another one adds its vendors.
 */

/**
 * Confirms a list, in one transaction. If its address already has one, that gets its vendors and frequency. Returns the
 * address's list; null if the confirmation is no longer valid. Throws AppError conflict for too many vendors.
 */
export async function confirmList(
  client: Database,
  keys: EncryptionKeys,
  pending: Digest,
  confirmation: Confirmation,
): Promise<Digest | null> {
  const { id, confirmHash, at, nextDueAt } = confirmation;
  const hashes = listHashes(keys, openContact(keys, id, pending.contact).address);
  return client.$transaction(async (transaction) => {
    const list = await lockList(transaction, hashes);
    if (!list) return (await confirmPending(transaction, confirmation)) ? pending : null;
    if (!(await deletePending(transaction, confirmation))) return null;
    const filterVendors = [...new Set([...list.filterVendors, ...pending.filterVendors])];
    if (filterVendors.length > maxFilterVendorCount) {
      const message = `With these vendors you would follow ${filterVendors.length}, and at most ${maxFilterVendorCount} are possible. Take some off your list first: the link is in each of its mails, and on the page on which you confirmed it.`;
      throw new AppError("conflict", message);
    }
    const { frequency } = pending;
    const schedule = frequency === list.frequency ? {} : { frequency, nextDueAt };
    return updateList(transaction, list.id, { filterVendors, ...schedule, addressHash: hashes[0], confirmHash, at });
  });
}
