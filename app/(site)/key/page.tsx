import type { Metadata } from "next";
import { isSignUpOpen } from "#lib/accounts/key-mail/index";
import { type AccountTier, accountTiers, plans } from "#lib/accounts/plans/index";
import { isPaymentConfigured, soldTiers } from "#lib/accounts/purchases/index";
import { pageHead } from "#lib/discovery/documents/index";
import { mailSettings } from "#lib/platform/mail/index";
import { intelligenceCategories } from "#lib/tracking/report-categories/index";
import { vendorCategories } from "#lib/tracking/vendors/index";
import { FetchingOff, isFetchingOff } from "../../_components/fetching-notice";
import { GetKey } from "../../_components/get-key";
import { Link } from "../../_components/link";
import { getPageContext } from "../../_components/page-context";
import { Notice, PageHeader, Section } from "../../_components/page-parts";
import { tierName } from "../pricing/plan-facts";
import styles from "./key.module.css";
import { KeyByMail } from "./key-by-mail";
import { KeyDashboard } from "./key-dashboard";

export const dynamic = "force-dynamic";

export const metadata: Metadata = pageHead("/key");

const planNames = Object.fromEntries(accountTiers.map((tier) => [tier, tierName(tier)])) as Record<AccountTier, string>;
const offers = soldTiers.map((tier) => {
  return { tier, name: tierName(tier), monthlyPriceUsd: plans[tier].monthlyPriceUsd };
});

export default async function KeyPage() {
  const context = await getPageContext();
  const [isSold, isOff] = await Promise.all([isPaymentConfigured(), isFetchingOff(context)]);
  const hasMail = mailSettings() !== undefined;
  return (
    <>
      <PageHeader
        title="Your key"
        lead={
          <>
            See the key’s tier and today’s usage, rotate it, and manage your own vendors{hasMail && ", e-mail digests"}{" "}
            and webhooks. The key stays in this tab until you forget it or close the tab, and is sent to this site only.
          </>
        }
      >
        <p>
          To use the API instead: <Link href="/docs/keys-and-tiers">Keys and tiers</Link>,{" "}
          <Link href="/docs/custom-vendors">Vendors of your own</Link>,{" "}
          {hasMail && (
            <>
              <Link href="/docs/email">E-mail digests</Link>,{" "}
            </>
          )}
          <Link href="/docs/webhooks">Webhooks</Link>.
        </p>
      </PageHeader>
      <noscript>
        <p>This page needs JavaScript. The docs pages above show how to do the same with curl.</p>
      </noscript>
      <KeyDashboard
        planNames={planNames}
        vendorCategories={vendorCategories}
        reportCategories={intelligenceCategories}
        hasMail={hasMail}
        offers={isSold ? offers : []}
        fetchingNotice={
          isOff && (
            <Notice>
              <FetchingOff />
            </Notice>
          )
        }
      >
        <Section
          id="get"
          title={!hasMail ? "No key yet?" : isSignUpOpen() ? "No key yet, or lost it?" : "Lost your key?"}
        >
          {hasMail && (
            <div className={styles.form}>
              <KeyByMail isSignUpOpen={isSignUpOpen()} />
              <noscript>
                <p>
                  Without JavaScript,{" "}
                  <Link href="/docs/keys-and-tiers#a-first-key-or-a-lost-one">ask for the mail with curl</Link>.
                </p>
              </noscript>
            </div>
          )}
          {isSold ? (
            <p>
              {hasMail ? "For a paid tier, buy" : "Buy"} one on <Link href="/pricing">Pricing</Link>.
            </p>
          ) : (
            <GetKey origin={context.origin} />
          )}
          <p>
            Replay, search and the vendors’ pages need no key: <Link href="/docs/quickstart">start without one</Link>.
          </p>
        </Section>
      </KeyDashboard>
    </>
  );
}
