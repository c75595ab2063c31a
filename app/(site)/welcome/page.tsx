import type { Metadata } from "next";
import { headers } from "next/headers";
import { getPurchase, type PurchaseState } from "#lib/accounts/purchases/index";
import { AppError } from "#lib/platform/errors";
import { Button, ButtonLink } from "../../_components/button";
import { Link } from "../../_components/link";
import { orAppError } from "../../_components/load-data";
import { getPageContext } from "../../_components/page-context";
import { Notice, PageHeader } from "../../_components/page-parts";
import { RevealForm } from "./reveal-form";

export const dynamic = "force-dynamic";
// The URL contains the session's id, which must not leak in a referrer.
export const metadata: Metadata = {
  title: "Your purchase",
  referrer: "no-referrer",
  robots: { index: false, follow: false },
};

type Props = { searchParams: Promise<{ session_id?: string | string[] }> };
type Content = { title: string; text: string };

const texts: Record<PurchaseState, Content> = {
  ready: {
    title: "Thank you. Your key is ready.",
    text: "It is shown only once, only in this browser, and is not stored. Have a safe place ready before you continue.",
  },
  upgraded: {
    title: "Thank you. Your account has its new tier.",
    text: "Its keys work as before, and have the new tier from now on. Vendors, webhooks and digests stay.",
  },
  pending: {
    title: "The payment is being processed.",
    text: "A card payment takes seconds, a bank transfer can take days. Keep this URL and come back in this browser.",
  },
  open: { title: "The payment is not finished.", text: "Finish it on the payment provider's page, then come back." },
  failed: { title: "The payment failed.", text: "You haven’t been charged. You can start again at any time." },
  expired: {
    title: "The payment session expired.",
    text: "You haven’t been charged. You can start again at any time.",
  },
  foreign: {
    title: "Open this page in the browser that you paid with.",
    text: "The purchase is paid. Its key is only shown in the browser that started the purchase, with cookies turned on. If you no longer have that browser, get a key with the e-mail address of the purchase on Your key, or ask the operator of this service.",
  },
  revealed: {
    title: "The key of this purchase was already shown.",
    text: "It is not stored. If you have it, you can rotate it at any time. If you lost it, get a key with the e-mail address of the purchase on Your key, or ask the operator of this service.",
  },
  unknown: { title: "Purchase not found.", text: "The URL may be incomplete or mistyped." },
};

/** States that can change by themselves. */
const temporaryStates = new Set<PurchaseState>(["pending", "open"]);
/** States after which the customer has to start again. */
const finalStates = new Set<PurchaseState>(["failed", "expired", "unknown"]);

async function findState(sessionId: string | undefined): Promise<PurchaseState> {
  const cookieHeader = (await headers()).get("cookie");
  return getPurchase(await getPageContext(), { sessionId, cookieHeader });
}

/** A form and not a link, so that each click sends a new request, also without JavaScript. */
function CheckAgain({ sessionId }: { sessionId: string }) {
  return (
    <form action="/welcome">
      <input type="hidden" name="session_id" value={sessionId} />
      <Button type="submit" variant="primary">
        Check again
      </Button>
    </form>
  );
}

export default async function WelcomePage({ searchParams }: Props) {
  const { session_id: value } = await searchParams;
  const sessionId = typeof value === "string" ? value : undefined;
  const state = await orAppError(() => findState(sessionId));
  const isFailure = state instanceof AppError;
  const { title, text } = isFailure ? { title: "Couldn’t check your purchase.", text: state.message } : texts[state];
  return (
    <PageHeader title={title} lead={text}>
      {isFailure && <Notice tone="error">Your purchase is not affected. Check again in a minute.</Notice>}
      {state === "ready" && sessionId !== undefined && <RevealForm sessionId={sessionId} />}
      {(isFailure || temporaryStates.has(state)) && sessionId !== undefined && <CheckAgain sessionId={sessionId} />}
      <p>
        {!isFailure && finalStates.has(state) && (
          <>
            <ButtonLink href="/pricing" variant="primary">
              See pricing
            </ButtonLink>{" "}
          </>
        )}
        <Link href="/docs/billing">How keys and billing work</Link>
        {(state === "revealed" || state === "foreign" || state === "upgraded") && (
          <>
            {" · "}
            <Link href="/key">Your key</Link>
          </>
        )}
      </p>
    </PageHeader>
  );
}
