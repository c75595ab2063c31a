import type { Metadata } from "next";
import { accountTiers, plans } from "#lib/accounts/plans/index";
import { Link } from "../../_components/link";
import { PageHeader } from "../../_components/page-header";
import { tierName } from "../pricing/plan-facts";
import { KeyDesk } from "./key-desk";

export const dynamic = "force-dynamic";

const description = "For the holder of a key: its tier, today's usage, rotation and webhooks.";
export const metadata: Metadata = { title: "Your key", description, alternates: { canonical: "/key" } };

/** The daily limit tells the tiers that answers call `pro` apart. */
const tiers = accountTiers.map((tier) => ({ name: tierName(tier), requestsPerDay: plans[tier].requestsPerDay }));

export default function KeyPage() {
  return (
    <>
      <PageHeader
        title="Your key"
        lead={
          <>
            Tier, today's usage, rotation and webhooks. The key stays in this tab's session storage until you forget it
            or close the tab, and goes only to this site, in a header.
          </>
        }
      >
        <p>
          No key yet? See <Link href="/pricing">Pricing</Link>. By program:{" "}
          <Link href="/docs/keys-and-tiers">Keys and tiers</Link>, <Link href="/docs/webhooks">Webhooks</Link>.
        </p>
      </PageHeader>
      <noscript>
        <p>This page works in your browser alone and needs JavaScript. The two pages above do the same with curl.</p>
      </noscript>
      <KeyDesk tiers={tiers} />
    </>
  );
}
