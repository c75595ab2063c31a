import type { Metadata } from "next";
import { isSignUpOpen } from "#lib/accounts/key-mail/index";
import { type AccountTier, accountTiers, plans } from "#lib/accounts/plans/index";
import { isPaymentConfigured, soldTiers } from "#lib/accounts/purchases/index";
import { pageHead, sitePages } from "#lib/discovery/documents/index";
import { config } from "#lib/platform/config";
import { mailSettings } from "#lib/platform/mail/index";
import { getVendorFacts, maxCustomCount } from "#lib/tracking/vendors/index";
import { Button } from "../../_components/button";
import { GetKey } from "../../_components/get-key";
import { JsonLd } from "../../_components/json-ld";
import { Link } from "../../_components/link";
import { orUndefined } from "../../_components/load-data";
import { getPageContext } from "../../_components/page-context";
import { Notice, PageHeader, Section } from "../../_components/page-parts";
import { ScrollCue, scrollBox } from "../../_components/scroll-box";
import { buyTier } from "./buy-tier";
import styles from "./page.module.css";
import { planFacts, tierName } from "./plan-facts";

function GetStarted({ tier, isSold }: { tier: AccountTier; isSold: boolean }) {
  if (tier === "free") return <Link href="/docs/quickstart">Start without a key</Link>;
  const sold = soldTiers.find((one) => one === tier);
  if (!sold || !isSold) return <a href="#buying">Ask the operator</a>;
  return (
    <form action={buyTier}>
      <input type="hidden" name="tier" value={sold} />
      <Button type="submit" variant={sold === "starter" ? "primary" : "secondary"}>
        Buy {tierName(sold)}
      </Button>
    </form>
  );
}

/** The tiers, one per row; on narrow screens each row becomes a card. */
function PlanTable({ isSold }: { isSold: boolean }) {
  const titles = ["Tier", "Price", "Get started", ...planFacts(plans.free).map(({ title }) => title)];
  return (
    <div {...scrollBox("Tiers and what they include")} className={styles.box}>
      <ScrollCue />
      <table className={styles.table}>
        <caption className="visually-hidden">Tiers and what they include</caption>
        <thead>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {accountTiers.map((tier) => (
            <tr key={tier}>
              <th scope="row">{tierName(tier)}</th>
              <td className={styles.price} data-title="Price">
                ${plans[tier].monthlyPriceUsd} <span className="caption">per month</span>
              </td>
              <td className={styles.start} data-title="Get started">
                <GetStarted tier={tier} isSold={isSold} />
              </td>
              {planFacts(plans[tier]).map(({ key, title, text }) => (
                <td key={key} data-title={title}>
                  {text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export const dynamic = "force-dynamic";

export const metadata: Metadata = pageHead("/pricing");

type Query = { failed?: string | string[]; reason?: string | string[] };
type Props = { searchParams: Promise<Query> };

function Failed({ failed, reason }: Query) {
  const tier = soldTiers.find((sold) => sold === failed);
  if (!tier) return null;
  return (
    <Notice tone="error" title={`Couldn’t start the purchase of ${tierName(tier)}.`}>
      {reason === "bought" ? (
        <>
          This browser has bought a tier in the last hour. To change it, open Stripe’s portal at{" "}
          <Link href="/key">Your key</Link>. To buy another one, wait an hour.
        </>
      ) : (
        <>
          The payment provider or this server’s database did not respond, its price there is not the one below, or your
          network has started too many checkouts. You haven’t been charged. Try again in a minute, or after ten
          checkouts in the next hour; if it still fails, ask the operator.
        </>
      )}
    </Notice>
  );
}

function Free({ publicCount, hasMail }: { publicCount: number | undefined; hasMail: boolean }) {
  const { REQUESTS_PER_DAY_WITHOUT_KEY: requestsWithoutKey = plans.free.requestsPerDay } = config();
  return (
    <Section id="free" title="What’s free">
      <ul className="stack tight">
        <li>
          Everything about replay: every cassette, any speed, and the <Link href="/docs/drop-in">drop-in for SDKs</Link>
          , without a key, a limit or tokens.
        </li>
        <li>
          Search, the fleet, vendors, statistics, the pages of changes, and Atom and JSON feeds, without a key or a
          limit.
        </li>
        <li>
          Each vendor's latest content, wrapped for models, and ten <Link href="/docs/mcp">MCP tools</Link>.
        </li>
        <li>
          The feed of the {publicCount === 1 ? "public vendor" : `${publicCount ?? ""} public vendors`.trim()},{" "}
          {requestsWithoutKey.toLocaleString("en")} requests per day without a key
          {requestsWithoutKey !== plans.free.requestsPerDay &&
            `, or ${plans.free.requestsPerDay.toLocaleString("en")} with a free one`}
          , without the changed lines.
        </li>
      </ul>
      <p>
        Paid tiers are for tracking all vendors from your own code: raw content, changes line by line, reports on what
        the changes mean, and, from Pro on, {maxCustomCount}{" "}
        <Link href="/docs/custom-vendors">vendors of your own</Link> and <Link href="/docs/webhooks">webhooks</Link> for
        significant changes.{" "}
        {hasMail && (
          <>
            With a key of any tier, changes also come by <Link href="/docs/email">e-mail</Link>.
          </>
        )}
      </p>
    </Section>
  );
}

function Buying({ isSold, hasMail, origin }: { isSold: boolean; hasMail: boolean; origin: string }) {
  return (
    <Section id="buying" title={isSold ? "How buying works" : "How to get a key"}>
      {isSold ? (
        <p>
          You pay monthly on Stripe's page; card data never reaches this service. Afterwards you see your key once.
          Manage cards, invoices, tier changes and cancellation in Stripe's portal, which you open from{" "}
          <Link href="/key">Your key</Link>. A cancelled tier lasts until the end of the paid month.
        </p>
      ) : (
        <Notice tone="empty" title="Paid plans aren’t available on this server.">
          <GetKey origin={origin} />
        </Notice>
      )}
      {hasMail && (
        <p>
          {isSignUpOpen()
            ? "A key of the free tier, and one in place of a lost key, come"
            : "A key in place of a lost one comes"}{" "}
          by mail: ask at <Link href="/key">Your key</Link>.
        </p>
      )}
      <p>
        Enterprise and Enterprise plus are issued by the operator. With a key, you can see its usage, rotate it, add
        vendors and set up webhooks at <Link href="/key">Your key</Link>. For details, see{" "}
        <Link href="/docs/keys-and-tiers">Keys and tiers</Link> and <Link href="/docs/limits">Limits</Link>.
      </p>
    </Section>
  );
}

/** The tiers as structured data. */
function offers(origin: string) {
  return {
    "@type": "WebAPI",
    name: "Vendor tracking",
    description: sitePages["/pricing"].description,
    url: `${origin}/pricing`,
    documentation: `${origin}/docs`,
    offers: Object.values(plans).map(({ tier, monthlyPriceUsd }) => {
      return { "@type": "Offer", name: tierName(tier), price: monthlyPriceUsd, priceCurrency: "USD" };
    }),
  };
}

export default async function PricingPage({ searchParams }: Props) {
  const query = await searchParams;
  const context = await getPageContext();
  const counting = orUndefined(context, () => getVendorFacts(context), "could not count the public vendors");
  const hasMail = mailSettings() !== undefined;
  const [isSold, facts] = await Promise.all([isPaymentConfigured(), counting]);
  return (
    <>
      <JsonLd data={offers(context.origin)} />
      <PageHeader
        title="Pricing"
        lead="Replay is free and needs no key. Paid tiers are for tracking vendors from your own code."
      />
      <Failed {...query} />
      <PlanTable isSold={isSold} />
      <div className={`${styles.sections} columns`}>
        <Free publicCount={facts?.publicCount} hasMail={hasMail} />
        <Buying isSold={isSold} hasMail={hasMail} origin={context.origin} />
      </div>
    </>
  );
}
