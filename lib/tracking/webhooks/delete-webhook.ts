import type { Caller } from "#lib/accounts/keys/index";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { ownerOf, unknownWebhook } from "./owner";
import type { WebhookDeactivation } from "./schemas";
import { cancelEnded } from "./sending/store";
import { deactivateOwned } from "./store";

/**
 * Ends a webhook of the calling key: no attempt begins after that, and what waits is cancelled. Throws AppError
 * not_found where there is none, or it has ended already.
 */
export async function deleteWebhook(
  { caller, clock, database }: { caller: Caller; clock: Clock; database: Database },
  { query: { id } }: { query: { id: string } },
): Promise<WebhookDeactivation> {
  const at = clock.now();
  const isEnded = await deactivateOwned(database, ownerOf(caller), id, { at, reason: "deleted by its owner" });
  if (!isEnded) throw unknownWebhook(id);
  await cancelEnded(database, { at, webhookId: id });
  return { deactivated: true, id };
}
