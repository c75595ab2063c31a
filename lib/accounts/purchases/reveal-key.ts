import type * as z from "zod";
import { createFurtherKey } from "#lib/accounts/keys/index";
import { contractTier } from "#lib/accounts/plans/index";
import { AppError } from "#lib/platform/errors";
import type { Checkout } from "#prisma/generated/client";
import { matchesNonce, readNonce } from "./browser-nonce";
import { type CheckoutOutcome, fulfilCheckout } from "./fulfil-checkout";
import { configuredPayments, type PaymentsSource, type PurchaseContext } from "./payments";
import { type RevealedKey, revealRequestSchema } from "./schemas";
import { findCheckout, revealOnce } from "./store";

const formType = /^application\/x-www-form-urlencoded\b/i;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("bad_request", "The body is neither JSON nor a form.", { cause });
  }
}

/** Returns whether the request body is a form, whose sender expects a page. */
export function isFormBody(header: (name: string) => string | null): boolean {
  return formType.test(header("content-type") ?? "");
}

/** Parses the request body, a form or JSON. Throws AppError bad_request. */
export function parseRevealRequest(rawBody: Uint8Array, isForm: boolean): z.infer<typeof revealRequestSchema> {
  const text = new TextDecoder().decode(rawBody);
  const fields = isForm ? Object.fromEntries(new URLSearchParams(text)) : parseJson(text);
  const result = revealRequestSchema.safeParse(fields);
  if (result.success) return result.data;
  throw new AppError("bad_request", `Body field "session_id" ${result.error.issues[0]?.message}.`);
}

type RevealContext = PurchaseContext & { origin: string };

const reasons: Record<Exclude<CheckoutOutcome, "fulfilled">, string> = {
  open: "The payment is not completed. Complete it on the payment provider's page first.",
  pending: "The payment has not arrived yet. Try again later; the page shows when it has.",
  failed: "The payment failed, so there is no key. Start again.",
  expired: "The payment was not made in time, so there is no key. Start again.",
  unknown: "The payment provider does not know this purchase.",
};

async function requirePaid(context: RevealContext, checkout: Checkout, sessionId: string, from: PaymentsSource) {
  if (checkout.accountId) return;
  const outcome = await fulfilCheckout(context, { sessionId }, from);
  if (outcome !== "fulfilled") throw new AppError("conflict", reasons[outcome]);
}

/**
 * Creates the key of a paid checkout and returns it, once, to the browser that started the purchase. Throws AppError
 * not_found, forbidden for another browser, and conflict if the key was already shown or the payment has not arrived.
 */
export async function revealKey(
  context: RevealContext,
  { sessionId, cookieHeader }: { sessionId: string; cookieHeader: string | null },
  payments: PaymentsSource = configuredPayments,
): Promise<RevealedKey> {
  const { database, clock, ids, origin, log } = context;
  const checkout = await findCheckout(database, { sessionId });
  if (!checkout) throw new AppError("not_found", "There is no such purchase.");
  if (!matchesNonce(readNonce(cookieHeader, origin), checkout.nonceHash)) {
    const message =
      "The key is only shown in the browser that started the purchase. Open the page there, with cookies enabled.";
    throw new AppError("forbidden", message);
  }
  await requirePaid(context, checkout, sessionId, payments);
  const issued = await revealOnce(database, checkout.id, clock.now(), (transaction) =>
    createFurtherKey({ database: transaction, clock, ids }, { accountId: checkout.id }),
  );
  if (!issued) {
    if (checkout.buyerId)
      throw new AppError("conflict", "This purchase has no key: the account of the key that bought it has the tier.");
    const message =
      "This key was already shown, and it is not stored. If you have it, POST /api/v1/keys/rotate replaces it. If you lost it, get another one on /key with the e-mail address of the purchase, or ask the operator of this service.";
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
