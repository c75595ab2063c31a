import type { Database } from "#lib/platform/database/index";
import type { EncryptionKeys } from "#lib/platform/encryption";
import { AppError } from "#lib/platform/errors";
import { maxFilterVendorCount } from "#lib/tracking/change-filters/index";
import { listHashes, openContact, sealContact } from "./contacts";
import { confirmPending, deletePending, lockList, type StoredDigest, updateList } from "./store";

/**
 * A digest without an account: a mailbox follows a list of vendors. It has one list; confirming another one adds its vendors.
 */

type Confirmation = { id: string; confirmHash: string; at: Date; nextDueAt: Date };

/**
 * Confirms a list, in one transaction. If its mailbox already has one, that gets its vendors, address, frequency and other
 * filters. Returns the mailbox's list; null if the confirmation is no longer valid. Throws AppError conflict for too many
 * vendors.
 */
export async function confirmList(
  client: Database,
  keys: EncryptionKeys,
  pending: StoredDigest,
  { id, confirmHash, at, nextDueAt }: Confirmation,
): Promise<StoredDigest | null> {
  const { address } = openContact(keys, id, pending.contact);
  const hashes = listHashes(keys, address);
  return client.$transaction(async (transaction) => {
    const list = await lockList(transaction, hashes);
    if (!list) return (await confirmPending(transaction, { id, confirmHash, at, nextDueAt })) ? pending : null;
    if (!(await deletePending(transaction, { id, confirmHash, at }))) return null;
    const filterVendors = [...new Set([...list.filterVendors, ...pending.filterVendors])];
    if (filterVendors.length > maxFilterVendorCount) {
      const message = `With these vendors you would follow ${filterVendors.length}, and at most ${maxFilterVendorCount} are possible. Take some off your list with the link in one of its mails first.`;
      throw new AppError("conflict", message);
    }
    const { unsubscribeToken } = openContact(keys, list.id, list.contact);
    const { frequency, filterModels, filterOperations, filterCategories, minSignificance } = pending;
    return updateList(transaction, list.id, {
      filterVendors,
      filterModels,
      filterOperations,
      filterCategories,
      minSignificance,
      frequency,
      contact: sealContact(keys, list.id, { address, unsubscribeToken }),
      mailboxHash: hashes[0],
      confirmHash,
      nextDueAt,
      at,
    });
  });
}
