import type { Metadata } from "next";
import { cache } from "react";
import { listVersions, type VersionList } from "#lib/tracking/history/index";
import { vendorParamsSchema } from "#lib/tracking/vendor-access/index";
import type { PageParameters } from "#lib/tracking/vendors/index";
import { SecurityBadge } from "../../../_components/badge";
import { type Column, DataTable } from "../../../_components/data-table";
import { Link } from "../../../_components/link";
import { loadPageData } from "../../../_components/load-data";
import { failureTitle, LoadFailure } from "../../../_components/load-failure";
import { Notice } from "../../../_components/notice";
import { getPageContext } from "../../../_components/page-context";
import { PageHeader } from "../../../_components/page-header";
import { Pagination } from "../../../_components/pagination";
import { RelativeTime } from "../../../_components/relative-time";
import { requireParams } from "../../../_components/require-params";
import { formatBytes, formatCount, formatMinute } from "../../_components/format-counts";
import styles from "../../_components/history-tables.module.css";
import { VendorTrail } from "../../_components/vendor-trail";

const columns: readonly Column[] = [
  { key: "firstSeen", title: "First seen" },
  { key: "lastSeen", title: "Last seen" },
  { key: "size", title: "Size", isNumber: true },
  { key: "lines", title: "Lines", isNumber: true },
  { key: "links", title: "Links", isNumber: true },
  { key: "security", title: "Security" },
  { key: "compare", title: "Compare" },
];

type VersionTableProps = Pick<VersionList, "versions" | "latestId"> & { slug: string; now: Date };

/** Versions of a file, each linked to its page and to its difference from the latest one. */
function VersionTable({ versions, latestId, slug, now }: VersionTableProps) {
  const rows = versions.map((version) => ({
    key: version.id,
    cells: {
      firstSeen: (
        <Link href={`/vendors/${slug}/snapshots/${version.id}`} className={styles.noWrap}>
          {formatMinute(version.createdAt)} UTC
        </Link>
      ),
      lastSeen: <RelativeTime at={version.fetchedAt} now={now} />,
      size: formatBytes(version.byteSize),
      lines: version.lineCount.toLocaleString("en"),
      links: version.linkCount.toLocaleString("en"),
      security: (
        <span className={styles.cell}>
          <SecurityBadge score={version.securityScore} />
        </span>
      ),
      compare:
        latestId === null || version.id === latestId ? (
          <span className="muted">latest version</span>
        ) : (
          <Link href={`/vendors/${slug}/compare?from=${version.id}&to=${latestId}`} rel="nofollow">
            with the latest
          </Link>
        ),
    },
  }));
  return <DataTable caption="Versions" columns={columns} rows={rows} stacks />;
}

export const dynamic = "force-dynamic";

type Props = { params: Promise<{ slug: string }>; searchParams: Promise<PageParameters> };

const load = cache(async (slug: string, cursor: string | undefined) => {
  const context = await getPageContext();
  const result = await loadPageData(() =>
    listVersions(context, { ...requireParams(vendorParamsSchema, { slug }), cursor }),
  );
  return { context, result };
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
