import type { z } from "zod";
import { createFurtherKey } from "#lib/accounts/keys/index";
import { contractTier } from "#lib/accounts/plans/index";
import { AppError } from "#lib/platform/errors";
import { holdsNonce, readNonce } from "./browser-nonce";
import { type CheckoutOutcome, fulfilCheckout } from "./fulfil-checkout";
import { configuredPayments, type PaymentsSource, type PurchaseContext } from "./payments";
import { type RevealedKey, revealRequestSchema } from "./schemas";
import { findCheckout, revealOnce, type StoredCheckout } from "./store";

const formType = /^application\/x-www-form-urlencoded\b/i;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("bad_request", "The body is neither JSON nor a form.", { cause });
  }
}

/** Whether a form asks, which wants a page. */
export function isFormBody(header: (name: string) => string | null): boolean {
  return formType.test(header("content-type") ?? "");
}

/** Reads the body of a form or of JSON. Throws AppError bad_request. */
export function parseRevealRequest(rawBody: Uint8Array, isForm: boolean): z.infer<typeof revealRequestSchema> {
  const text = new TextDecoder().decode(rawBody);
  const given = isForm ? Object.fromEntries(new URLSearchParams(text)) : parseJson(text);
  const result = revealRequestSchema.safeParse(given);
  if (result.success) return result.data;
  throw new AppError("bad_request", `Body field "session_id" ${result.error.issues[0]?.message}.`);
}

type RevealContext = PurchaseContext & { origin: string };

const waiting: Record<Exclude<CheckoutOutcome, "fulfilled">, string> = {
  open: "The payment is not finished. Finish it on the payment provider's page first.",
  pending: "The payment has not arrived yet. Try again when it has; the page tells.",
  failed: "The payment failed, so there is no key. Begin again.",
  expired: "The payment was not made in time, so there is no key. Begin again.",
  unknown: "The payment provider does not know this purchase.",
};

async function requirePaid(context: RevealContext, checkout: StoredCheckout, sessionId: string, from: PaymentsSource) {
  if (checkout.accountId) return;
  const outcome = await fulfilCheckout(context, { sessionId }, from);
  if (outcome !== "fulfilled") throw new AppError("conflict", waiting[outcome]);
}

/**
 * Makes the key of a paid checkout and shows it, once, to the browser that began it. Throws AppError not_found,
 * forbidden for any other browser, and conflict where it was shown before or the payment is not there.
 */
export async function revealKey(
  context: RevealContext,
  { sessionId, cookieHeader }: { sessionId: string; cookieHeader: string | null },
  payments: PaymentsSource = configuredPayments,
): Promise<RevealedKey> {
  const { database, clock, ids, origin, log } = context;
  const checkout = await findCheckout(database, { sessionId });
  if (!checkout) throw new AppError("not_found", "There is no such purchase here.");
  if (!holdsNonce(readNonce(cookieHeader, origin), checkout.nonceHash)) {
    const message =
      "The key is shown to the browser that began the purchase alone. Open the page there, with cookies on.";
    throw new AppError("forbidden", message);
  }
  await requirePaid(context, checkout, sessionId, payments);
  const issued = await revealOnce(database, checkout.id, clock.now(), (transaction) =>
    createFurtherKey({ database: transaction, clock, ids }, { accountId: checkout.id }),
  );
  if (!issued) {
    const message =
      "This key was shown already, and nothing keeps it. If you have it, POST /api/v1/keys/rotate replaces it. If it is lost, ask the operator of this service for a new one.";
    throw new AppError("conflict", message);
  }
  const { key, stored } = issued;
  log.info({ accountId: checkout.id, keyId: stored.id }, "the key of a purchase was shown");
  return {
    api_key: key,
    tier: contractTier(stored.account.tier),
    note: "Store the key now: it is not shown again. Send it as Authorization: Bearer <key>.",
  };
}
