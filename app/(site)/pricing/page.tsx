import type { Metadata } from "next";
import { plans } from "#lib/accounts/plans/index";
import { isPaymentConfigured, soldTiers } from "#lib/accounts/purchases/index";
import { JsonLd } from "../../_components/json-ld";
import { Link } from "../../_components/link";
import { Notice } from "../../_components/notice";
import { PageHeader } from "../../_components/page-header";
import { requestSite } from "../../_components/request-site";
import styles from "./page.module.css";
import { tierName } from "./plan-facts";
import { PlanTable } from "./plan-table";

export const dynamic = "force-dynamic";

const description = "What the free tier gives, and what the paid ones add.";
export const metadata: Metadata = { title: "Pricing", description, alternates: { canonical: "/pricing" } };

type Props = { searchParams: Promise<{ failed?: string | string[] }> };

function Failed({ tier }: { tier: string | string[] | undefined }) {
  const failed = soldTiers.find((sold) => sold === tier);
  if (!failed) return null;
  return (
    <Notice tone="error" title={`The purchase of ${tierName(failed)} could not begin.`}>
      The payment provider did not answer, or this service could not reach its database. Nothing was bought. Try again
      in a minute.
    </Notice>
  );
}

function Free() {
  return (
    <section className={styles.section} aria-labelledby="free">
      <h2 id="free">What costs nothing</h2>
      <ul>
        <li>
          Replay, all of it: every cassette, any speed, the <Link href="/docs/messages">drop-in for SDKs</Link>. No key,
          no limit, no tokens.
        </li>
        <li>Search, the fleet, vendors, diffs, statistics and feeds for readers: no key, no limit.</li>
        <li>
          Each vendor's latest content, wrapped so that a model can read it safely; and ten{" "}
          <Link href="/docs/mcp">MCP tools</Link>.
        </li>
        <li>
          The feed of the five public vendors, {plans.free.requestsPerDay} requests a day, without the changed lines.
        </li>
      </ul>
      <p>
        A paid tier is for following all vendors by program: their raw content, their changes line by line, reports of
        what the changes mean, and from Pro on a webhook when one matters.
      </p>
    </section>
  );
}

function Buying({ isSold }: { isSold: boolean }) {
  return (
    <section className={styles.section} aria-labelledby="buying">
      <h2 id="buying">How buying works</h2>
      {isSold ? (
        <p>
          You pay monthly on Stripe's page; card data never reaches this service. Back here you see your key once.
          Cards, invoices, another tier and cancellation are in Stripe's portal, which <Link href="/key">your key</Link>{" "}
          opens. A cancelled tier lasts to the end of the month that is paid.
        </p>
      ) : (
        <Notice tone="empty" title="Nothing is sold on this site.">
          No payment provider is configured here. Keys of all paid tiers are issued by the operator.
        </Notice>
      )}
      <p>
        Enterprise and Enterprise plus are issued by the operator, not bought here. Who has a key sees its usage,
        rotates it and sets up webhooks at <Link href="/key">Your key</Link>. More in{" "}
        <Link href="/docs/keys-and-tiers">Keys and tiers</Link> and <Link href="/docs/limits">Limits</Link>.
      </p>
    </section>
  );
}

/** The tiers for machines, as the API has them. */
function offers(origin: string) {
  return {
    ...{ "@type": "WebAPI", name: "Vendor tracking", description, url: `${origin}/pricing` },
    documentation: `${origin}/docs`,
    offers: Object.values(plans).map(({ tier, monthlyPriceUsd }) => {
      return { "@type": "Offer", name: tierName(tier), price: monthlyPriceUsd, priceCurrency: "USD" };
    }),
  };
}

export default async function PricingPage({ searchParams }: Props) {
  const { failed } = await searchParams;
  const isSold = await isPaymentConfigured();
  return (
    <>
      <JsonLd data={offers((await requestSite()).origin)} />
      <PageHeader
        title="Pricing"
        lead="Replay is free and needs no key. Paid tiers are for following vendors by program."
      />
      <Failed tier={failed} />
      <PlanTable isSold={isSold} />
      <div className={styles.sections}>
        <Free />
        <Buying isSold={isSold} />
      </div>
    </>
  );
}
