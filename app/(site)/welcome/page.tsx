import type { Metadata } from "next";
import { headers } from "next/headers";
import { getPurchase, type PurchaseState } from "#lib/accounts/purchases/index";
import { AppError } from "#lib/platform/errors";
import { Button, ButtonLink } from "../../_components/button";
import { Link } from "../../_components/link";
import { Notice } from "../../_components/notice";
import { getPageContext } from "../../_components/page-context";
import { PageHeader } from "../../_components/page-header";
import { RevealForm } from "./reveal-form";

export const dynamic = "force-dynamic";
// The address holds the session's id: no other page may hear of it.
export const metadata: Metadata = {
  title: "Your purchase",
  referrer: "no-referrer",
  robots: { index: false, follow: false },
};

type Props = { searchParams: Promise<{ session_id?: string | string[] }> };
type Shown = { title: string; text: string };

const texts: Record<PurchaseState, Shown> = {
  ready: {
    title: "Thank you. Your key is ready.",
    text: "It is shown once, in this browser alone, and nothing keeps it. Have a safe place at hand before you go on.",
  },
  pending: {
    title: "The payment is on its way.",
    text: "A card takes seconds, a bank transfer can take days. Keep this address and come back in this browser.",
  },
  open: { title: "The payment is not finished.", text: "Finish it on the payment provider's page, then come back." },
  failed: { title: "The payment failed.", text: "Nothing was bought. You can begin again at any time." },
  expired: { title: "The payment was not made in time.", text: "Nothing was bought. You can begin again at any time." },
  foreign: {
    title: "Open this page in the browser you bought with.",
    text: "The purchase is paid, and its key is shown to the browser alone that began it, with cookies on. If that is gone, ask the operator of this service for a key.",
  },
  revealed: {
    title: "The key of this purchase was shown.",
    text: "Nothing keeps it. If you have it, you can rotate it at any time; if it is lost, ask the operator of this service for a new one.",
  },
  unknown: { title: "There is no such purchase here.", text: "The address may be incomplete or mistyped." },
};

/** States that another look can change. */
const passing = new Set<PurchaseState>(["pending", "open"]);
/** States after which one begins anew. */
const over = new Set<PurchaseState>(["failed", "expired", "unknown"]);

async function stateOf(sessionId: string | undefined): Promise<PurchaseState | AppError> {
  try {
    const cookieHeader = (await headers()).get("cookie");
    return await getPurchase(await getPageContext(), { sessionId, cookieHeader });
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** A form and not a link: it asks the server anew each time, and needs no script. */
function LookAgain({ sessionId }: { sessionId: string }) {
  return (
    <form action="/welcome">
      <input type="hidden" name="session_id" value={sessionId} />
      <Button type="submit" variant="primary">
        Look again
      </Button>
    </form>
  );
}

export default async function WelcomePage({ searchParams }: Props) {
  const { session_id: given } = await searchParams;
  const sessionId = typeof given === "string" ? given : undefined;
  const state = await stateOf(sessionId);
  const isFailure = state instanceof AppError;
  const { title, text } = isFailure
    ? { title: "Your purchase cannot be looked up.", text: state.message }
    : texts[state];
  return (
    <PageHeader title={title} lead={text}>
      {isFailure && <Notice tone="error">Nothing is lost: the purchase stays as it is. Look again in a minute.</Notice>}
      {state === "ready" && sessionId !== undefined && <RevealForm sessionId={sessionId} />}
      {(isFailure || passing.has(state)) && sessionId !== undefined && <LookAgain sessionId={sessionId} />}
      <p>
        {!isFailure && over.has(state) && (
          <>
            <ButtonLink href="/pricing" variant="primary">
              See the tiers
            </ButtonLink>{" "}
          </>
        )}
        <Link href="/docs/billing">How keys and billing work</Link>
        {state === "revealed" && (
          <>
            {" · "}
            <Link href="/key">Your key's page</Link>
          </>
        )}
      </p>
    </PageHeader>
  );
}
