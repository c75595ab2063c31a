import type { Metadata } from "next";
import { sitePages } from "#lib/discovery/documents/index";
import { mailSettings } from "#lib/platform/mail/index";
import { maxFilterVendorCount } from "#lib/tracking/change-filters/index";
import { vendorParamsSchema } from "#lib/tracking/vendor-access/index";
import { listFollowable, maxFollowableCount } from "#lib/tracking/vendors/index";
import { FetchingNotice } from "../../_components/fetching-notice";
import { Link } from "../../_components/link";
import { loadPageData } from "../../_components/load-data";
import { LoadFailure } from "../../_components/load-failure";
import { getPageContext } from "../../_components/page-context";
import { PageHeader, Section } from "../../_components/page-parts";
import { FollowForm } from "./follow-form";

export const dynamic = "force-dynamic";

const byMail = {
  title: "Follow by e-mail",
  description: "Choose vendors, and get the changes of their files by e-mail. You need no account.",
};
const withoutMail = {
  title: sitePages["/follow"].title,
  description: "Get the changes of vendors’ files in a feed reader, or on your own server by webhook.",
};
const head = () => (mailSettings() ? byMail : withoutMail);

export const generateMetadata = (): Metadata => ({ ...head(), alternates: { canonical: "/follow" } });

/** Ways to follow vendors on a server that sends no mail. */
function OtherWays() {
  return (
    <>
      <Section id="feeds" title="Feeds">
        <p>
          <a href="/feed.xml">Atom</a> and <a href="/feed.json">JSON</a> feeds have the changes of all vendors. For
          those of one vendor, of a category or of your models, set filters at <Link href="/changes">Changes</Link>: its
          feeds have them too.
        </p>
      </Section>
      <Section id="webhooks" title="Webhooks">
        <p>
          With a key of the Pro tier, your server gets a signed request for each major change. Set one up at{" "}
          <Link href="/key">Your key</Link>; <Link href="/docs/webhooks">Webhooks</Link> describes the request.
        </p>
      </Section>
    </>
  );
}

type Props = { searchParams: Promise<{ vendor?: string | string[] }> };

export default async function FollowPage({ searchParams }: Props) {
  const context = await getPageContext();
  const { vendor = [] } = await searchParams;
  const chosen = [vendor].flat().filter((slug) => vendorParamsSchema.safeParse({ slug }).success);
  const { title, description: lead } = head();
  if (!mailSettings())
    return (
      <>
        <PageHeader title={title} lead={lead}>
          <p className="caption">This server sends no mail.</p>
        </PageHeader>
        <FetchingNotice context={context} />
        <OtherWays />
      </>
    );
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
      <section className="stack" aria-label="Vendors to follow">
        <noscript>
          <p>
            The form needs JavaScript. <Link href="/docs/email">The docs</Link> show how to do the same with curl.
          </p>
        </noscript>
        <FollowForm vendors={vendors} chosen={chosen} maxCount={maxFilterVendorCount} />
        {vendors.length >= maxFollowableCount && (
          <p className="caption">
            These are the first {maxFollowableCount}. The <Link href="/vendors">page of any other vendor</Link> links to
            this form with it.
          </p>
        )}
      </section>
    </>
  );
}
