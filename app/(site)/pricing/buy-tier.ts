"use server";

import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { NextResponse } from "next/server";
import { createCheckout, type SoldTier, soldTiers } from "#lib/accounts/purchases/index";
import { AppError } from "#lib/platform/errors";
import { getPageContext } from "../../_components/page-context";

/** Starts a purchase. Returns the URL to redirect to: the provider's page, or the pricing page if it failed. */
async function startPurchase(tier: SoldTier): Promise<string> {
  const [context, requestHeaders, cookieStore] = await Promise.all([getPageContext(), headers(), cookies()]);
  try {
    const input = { body: { tier }, header: (name: string) => requestHeaders.get(name) };
    const { checkout, cookie } = await createCheckout(context, input);
    // Server actions cannot set headers, so Next parses this one for its cookie store.
    const parsed = new NextResponse(null, { headers: { "Set-Cookie": cookie } }).cookies.getAll();
    for (const each of parsed) cookieStore.set(each);
    return checkout.url;
  } catch (error) {
    if (!(error instanceof AppError)) context.log.error({ err: error }, "could not start a purchase");
    const isBought = error instanceof AppError && error.code === "conflict";
    return `/pricing?failed=${tier}${isBought ? "&reason=bought" : ""}`;
  }
}

/** The action of the buy buttons: a plain form, which works without JavaScript. */
export async function buyTier(form: FormData): Promise<void> {
  const tier = soldTiers.find((sold) => sold === form.get("tier"));
  redirect(tier === undefined ? "/pricing" : await startPurchase(tier));
}
