import type { Caller } from "#lib/accounts/keys/index";
import { AppError } from "#lib/platform/errors";
import type { WebhookOwner } from "./store";

/** Whose webhooks a caller sees. Throws AppError unauthorized for a caller without a key. */
export function ownerOf({ accountId, limitId }: Caller): WebhookOwner {
  if (accountId !== null) return { accountId, limitId };
  throw new AppError("unauthorized", "Webhooks belong to a key: send yours.");
}

/** What a caller hears of a webhook that there is not, or that is another key's. */
export function unknownWebhook(id: string): AppError {
  return new AppError("not_found", `There is no webhook ${id} of this key. GET /api/v1/webhooks lists them.`);
}

/** What a caller hears who wants more of a webhook that has ended. */
export function inactiveWebhook({ id, deactivatedReason }: { id: string; deactivatedReason: string | null }): AppError {
  return new AppError("conflict", `The webhook ${id} is deactivated (${deactivatedReason}). Register a new one.`);
}
