import type { Metadata } from "next";
import { mailSettings } from "#lib/platform/mail/index";
import { maxFilterVendorCount } from "#lib/tracking/change-filters/index";
import { vendorParamsSchema } from "#lib/tracking/vendor-access/index";
import { listFollowable, maxFollowableCount } from "#lib/tracking/vendors/index";
import { FetchingNotice } from "../../_components/fetching-notice";
import { Link } from "../../_components/link";
import { loadPageData } from "../../_components/load-data";
import { LoadFailure } from "../../_components/load-failure";
import { getPageContext } from "../../_components/page-context";
import { Notice, PageHeader } from "../../_components/page-parts";
import { FollowForm } from "./follow-form";

export const dynamic = "force-dynamic";

const title = "Follow by e-mail";
const lead = "Choose vendors, and get the changes of their files by e-mail. You need no account.";
export const metadata: Metadata = { title, description: lead, alternates: { canonical: "/follow" } };

type Props = { searchParams: Promise<{ vendor?: string | string[] }> };

export default async function FollowPage({ searchParams }: Props) {
  const context = await getPageContext();
  const { vendor = [] } = await searchParams;
  const chosen = [vendor].flat().filter((slug) => vendorParamsSchema.safeParse({ slug }).success);
  const result = await loadPageData(() => listFollowable(context, chosen));
  if (!("data" in result))
    return <LoadFailure error={result.error} page={title} lead={lead} title="Couldn’t load the vendors." />;
  const vendors = result.data;
  return (
    <>
      <PageHeader title={title} lead={lead}>
        <p>
          Each mail has the <Link href="/docs/intelligence">reports</Link> of the changes, and a link that changes the
          list or ends it. <Link href="/docs/email">E-mail digests</Link> says more.
        </p>
      </PageHeader>
      <FetchingNotice context={context} />
      {mailSettings() === undefined ? (
        <Notice tone="empty" title="This server sends no mail.">
          Each vendor’s page has a feed to follow it by: see <Link href="/vendors">Vendors</Link>.
        </Notice>
      ) : (
        <section className="stack" aria-label="Vendors to follow">
          <noscript>
            <p>
              The form needs JavaScript. <Link href="/docs/email">The docs</Link> show how to do the same with curl.
            </p>
          </noscript>
          <FollowForm vendors={vendors} chosen={chosen} maxCount={maxFilterVendorCount} />
          {vendors.length >= maxFollowableCount && (
            <p className="caption">
              These are the first {maxFollowableCount}. The <Link href="/vendors">page of any other vendor</Link> links
              to this form with it.
            </p>
          )}
        </section>
      )}
    </>
  );
}
