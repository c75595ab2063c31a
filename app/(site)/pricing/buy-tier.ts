"use server";

import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { createCheckout, type SoldTier, soldTiers } from "#lib/accounts/purchases/index";
import { AppError } from "#lib/platform/errors";
import { getPageContext } from "../../_components/page-context";
import { parseSetCookie } from "./parse-set-cookie";

/** Begins a purchase, and gives where the browser goes on: the provider's page, or back here if that failed. */
async function begin(tier: SoldTier): Promise<string> {
  const [context, given, jar] = await Promise.all([getPageContext(), headers(), cookies()]);
  try {
    const input = { body: { tier }, header: (name: string) => given.get(name) };
    const { checkout, cookie } = await createCheckout(context, input);
    jar.set(parseSetCookie(cookie));
    return checkout.url;
  } catch (error) {
    if (!(error instanceof AppError)) context.log.error({ err: error }, "a purchase could not begin");
    return `/pricing?failed=${tier}`;
  }
}

/** What the buttons of the price table send; a plain form, which needs no script. */
export async function buyTier(form: FormData): Promise<void> {
  const tier = soldTiers.find((sold) => sold === form.get("tier"));
  redirect(tier === undefined ? "/pricing" : await begin(tier));
}
