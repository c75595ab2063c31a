import type { Clock } from "#lib/platform/clock";
import type { Database, Transaction } from "#lib/platform/database/index";
import { insertNotification, swapListHash } from "./store";
import { toolsTopic, vendorTopic } from "./topic";

/** Tells subscribers that a vendor's file changed, within the transaction that stores the change: its last statement. */
export async function announceVendorChange(transaction: Transaction, slug: string, at: Date): Promise<void> {
  await insertNotification(transaction, vendorTopic(slug), at);
}

/** Tells clients that the list of tools is another one than an instance announced before: a new version was deployed. */
export async function announceTools(
  { database, clock }: { database: Database; clock: Clock },
  { name, hash }: { name: string; hash: string },
): Promise<void> {
  await database.$transaction(async (transaction) => {
    if (await swapListHash(transaction, name, hash)) await insertNotification(transaction, toolsTopic, clock.now());
  });
}
