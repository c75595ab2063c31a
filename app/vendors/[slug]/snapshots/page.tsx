import type { Metadata } from "next";
import { cache } from "react";
import { listVersions } from "#lib/tracking/history/index";
import type { PageParameters } from "#lib/tracking/vendors/index";
import { Link } from "../../../_components/link";
import { loadPageData } from "../../../_components/load-data";
import { failureTitle, LoadFailure } from "../../../_components/load-failure";
import { Notice } from "../../../_components/notice";
import { getPageContext } from "../../../_components/page-context";
import { PageHeader } from "../../../_components/page-header";
import { Pagination } from "../../../_components/pagination";
import { formatCount } from "../../_components/format-counts";
import { VendorTrail } from "../../_components/vendor-trail";
import { VersionTable } from "../../_components/version-table";

export const dynamic = "force-dynamic";

type Props = { params: Promise<{ slug: string }>; searchParams: Promise<PageParameters> };

const load = cache(async (slug: string, cursor: string | undefined) => {
  const context = await getPageContext();
  return { context, result: await loadPageData(() => listVersions(context, { slug, cursor })) };
});

async function loadPage({ params, searchParams }: Props) {
  const [{ slug }, { cursor }] = await Promise.all([params, searchParams]);
  const given = [cursor].flat()[0];
  return { ...(await load(slug, given)), slug, isFirst: given === undefined };
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { result, slug, isFirst } = await loadPage(props);
  if (!("data" in result)) return { title: failureTitle(result.error, "Versions") };
  const { vendor, count } = result.data;
  return {
    title: `${vendor.name}: versions`,
    description: `${formatCount(count, "version")} of the llms.txt file of ${vendor.name} (${vendor.domain}), the newest first.`,
    alternates: { canonical: `/vendors/${slug}/snapshots` },
    ...(!isFirst && { robots: { index: false } }),
  };
}

export default async function VersionsPage(props: Props) {
  const { result, context, slug, isFirst } = await loadPage(props);
  if (!("data" in result)) {
    const header = <PageHeader above={<VendorTrail slug={slug} />} title="Versions" />;
    return <LoadFailure error={result.error} header={header} title="Couldn’t load the versions." />;
  }
  const { vendor, versions, count, latestId, nextCursor } = result.data;
  const path = `/vendors/${slug}/snapshots`;
  return (
    <>
      <PageHeader
        above={<VendorTrail slug={slug} name={vendor.name} />}
        title={`${vendor.name}: versions`}
        lead="Each version of the file that was fetched, the newest first."
        facts={[
          formatCount(count, "version"),
          <Link key="compare" href={`/vendors/${slug}/compare`} rel="nofollow">
            Compare any two
          </Link>,
        ]}
      />
      {versions.length > 0 ? (
        <VersionTable versions={versions} latestId={latestId} slug={slug} now={context.clock.now()} />
      ) : (
        <Notice tone="empty">
          <p>{isFirst ? "The file has not been fetched yet." : "There are no older versions."}</p>
        </Notice>
      )}
      <Pagination
        label="Versions"
        newestHref={isFirst ? null : path}
        nextHref={nextCursor && `${path}?cursor=${nextCursor}`}
      />
    </>
  );
}
