import type { Caller } from "#lib/accounts/keys/index";
import { contractTier } from "#lib/accounts/plans/index";
import type { Database } from "#lib/platform/database/index";
import { maxActiveCount } from "./create-webhook";
import { ownerOf } from "./owner";
import type { WebhookList } from "./schemas";
import { findWebhooks } from "./store";
import { toWebhook, toWebhookWithStanding } from "./to-webhook";

/** Most deactivated webhooks that are shown, the newest. */
const maxInactiveCount = 100;

/** The active webhooks of the calling key, newest first; with `include=inactive` those that ended follow. */
export async function listWebhooks(
  { caller, database }: { caller: Caller; database: Database },
  { query: { include } }: { query: { include?: "inactive" | undefined } },
): Promise<WebhookList> {
  const owner = ownerOf(caller);
  const active = await findWebhooks(database, owner, { active: true, limit: maxActiveCount });
  const inactive = include ? await findWebhooks(database, owner, { active: false, limit: maxInactiveCount }) : [];
  const webhooks = [...active, ...inactive].map(include ? toWebhookWithStanding : toWebhook);
  return { _meta: { count: webhooks.length, tier: contractTier(caller.tier) }, webhooks };
}
