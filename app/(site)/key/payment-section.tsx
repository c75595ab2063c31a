"use client";

import type { getKey } from "#lib/accounts/keys/index";
import { Button } from "../../_components/button";
import { formatDay } from "../../_components/format";
import { Section } from "../../_components/page-parts";
import { Failure } from "./actions";
import { type AnswerOf, useSubmit } from "./api-request";

type Subscription = NonNullable<AnswerOf<typeof getKey>["subscription"]>;

/** Returns when a subscription renews or ends, or that its payment failed. */
export function describePayment({ status, renews_at, ends_at, grace_until }: Subscription): string {
  const hasGrace = grace_until !== null && Date.parse(grace_until) > Date.now();
  if (hasGrace) return `Failed: the tier ends on ${formatDay(grace_until)} unless you pay`;
  if (grace_until !== null) return "Failed: the tier comes back once you pay";
  if (ends_at) return `Cancelled: the tier ends on ${formatDay(ends_at)}`;
  return renews_at ? `Renews on ${formatDay(renews_at)}` : status;
}

/** Sends a request whose answer is a page of the payment provider, and opens it. */
function useProviderPage() {
  const { submit, ...state } = useSubmit();
  const open = (path: string, body?: object) =>
    submit<{ url: string }>(path, { method: "POST", body }, ({ url }) => location.assign(url));
  return { ...state, open };
}

/** Opens the payment provider's portal for cards, invoices and cancellation. */
export function PaymentPortal({ subscription }: { subscription: Subscription }) {
  const { error, isBusy, open } = useProviderPage();
  return (
    <Section id="payment" title="Payment">
      <p>{describePayment(subscription)}.</p>
      <p>
        Manage cards, invoices, tier changes and cancellation on the payment provider's page. Opening it uses one
        request.
      </p>
      <p>
        <Button disabled={isBusy} onClick={() => open("/api/v1/payment/portal")}>
          {isBusy ? "Opening…" : "Open the payment portal"}
        </Button>
      </p>
      <Failure title="Couldn’t open the payment portal." message={error} />
    </Section>
  );
}

export type Offer = { tier: string; name: string; monthlyPriceUsd: number };

/** Buys a tier for the key's account. */
export function Upgrade({ offers }: { offers: readonly Offer[] }) {
  const { error, isBusy, open } = useProviderPage();
  return (
    <Section id="payment" title="Upgrade">
      <p>The keys of this account get the tier when the payment is done. Vendors, webhooks and digests stay.</p>
      <p className="row tight">
        {offers.map(({ tier, name, monthlyPriceUsd }) => (
          <Button key={tier} disabled={isBusy} onClick={() => open("/api/v1/payment/checkout", { tier })}>
            Upgrade to {name} (${monthlyPriceUsd} per month)
          </Button>
        ))}
      </p>
      <Failure title="Couldn’t start the purchase." message={error} />
    </Section>
  );
}
