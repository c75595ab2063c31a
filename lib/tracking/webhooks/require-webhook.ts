import type { CallContext, Caller } from "#lib/accounts/keys/index";
import { AppError } from "#lib/platform/errors";
import type { Webhook } from "#prisma/generated/client";
import { findWebhook, type WebhookOwner } from "./store";

/** Returns the owner of the caller's webhooks. Throws AppError unauthorized for a caller without a key. */
export function ownerOf({ accountId, limitId }: Caller): WebhookOwner {
  if (accountId !== null) return { accountId, limitId };
  throw new AppError("unauthorized", "Webhooks belong to a key. Send your API key.");
}

/** Returns a webhook of the calling key, active or not. Throws AppError not_found, also for one of another key. */
export async function requireWebhook(
  { caller, database }: Pick<CallContext, "caller" | "database">,
  id: string,
): Promise<Webhook> {
  const webhook = await findWebhook(database, ownerOf(caller), id);
  if (webhook) return webhook;
  throw new AppError("not_found", `This key has no webhook ${id}. GET /api/v1/webhooks lists its webhooks.`);
}

/** Throws AppError conflict if a webhook is deactivated. */
export function requireActive({ id, active, deactivatedReason }: Webhook): void {
  if (active) return;
  throw new AppError("conflict", `The webhook ${id} is deactivated (${deactivatedReason}). Register a new one.`);
}
