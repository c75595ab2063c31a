import type { Database } from "#lib/platform/database/index";
import { deletePassed } from "./store";

/** Deletes events that were taken in and checkouts that were never paid, from before a moment; gives how many. */
export async function prunePurchases(
  { database }: { database: Database },
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  return deletePassed(database, before, limit);
}
