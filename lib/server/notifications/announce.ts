import type { Clock } from "#lib/platform/clock";
import type { Database, Transaction } from "#lib/platform/database/index";
import { insertNotification, swapListHash } from "./store";
import { toolsTopic, vendorTopic } from "./topic";

/** Notifies subscribers that a vendor's file changed. Call it last in the transaction that stores the change: it takes a lock. */
export async function announceVendorChange(transaction: Transaction, slug: string, at: Date): Promise<void> {
  await insertNotification(transaction, vendorTopic(slug), at);
}

/** Notifies clients if the list of tools differs from the one announced before, which means that a new version was deployed. */
export async function announceTools(
  { database, clock }: { database: Database; clock: Clock },
  { name, hash }: { name: string; hash: string },
): Promise<void> {
  await database.$transaction(async (transaction) => {
    if (await swapListHash(transaction, name, hash)) await insertNotification(transaction, toolsTopic, clock.now());
  });
}
