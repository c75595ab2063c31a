import type { Metadata } from "next";
import { accountTiers, plans } from "#lib/accounts/plans/index";
import { Link } from "../../_components/link";
import { PageHeader } from "../../_components/page-header";
import { tierName } from "../pricing/plan-facts";
import { KeyDashboard } from "./key-dashboard";

export const dynamic = "force-dynamic";

const description = "Manage your API key: tier, today's usage, rotation and webhooks.";
export const metadata: Metadata = { title: "Your key", description, alternates: { canonical: "/key" } };

/** Responses call several tiers `pro`; the daily limit distinguishes them. */
const tiers = accountTiers.map((tier) => ({ name: tierName(tier), requestsPerDay: plans[tier].requestsPerDay }));

export default function KeyPage() {
  return (
    <>
      <PageHeader
        title="Your key"
        lead={
          <>
            See the tier and today's usage, rotate the key, and manage webhooks. The key stays in this tab's session
            storage until you forget it or close the tab, and is only sent to this site, in a header.
          </>
        }
      >
        <p>
          No key yet? See <Link href="/pricing">Pricing</Link>. To use the API instead:{" "}
          <Link href="/docs/keys-and-tiers">Keys and tiers</Link>, <Link href="/docs/webhooks">Webhooks</Link>.
        </p>
      </PageHeader>
      <noscript>
        <p>This page needs JavaScript. The docs pages above show how to do the same with curl.</p>
      </noscript>
      <KeyDashboard tiers={tiers} />
    </>
  );
}
