import type { Metadata } from "next";
import { cache } from "react";
import { type PageParameters, pageCursorSchema, readPageFilters } from "#lib/contract/query-schemas";
import { formatCount } from "#lib/platform/format-count";
import { listVersions, type VersionList } from "#lib/tracking/history/index";
import { SecurityBadge } from "../../../_components/badge";
import { type Column, DataTable } from "../../../_components/data-table";
import { formatBytes, formatDateTime } from "../../../_components/format";
import { Link } from "../../../_components/link";
import { failureTitle } from "../../../_components/load-failure";
import { Facts, InvalidFilters, Notice, PageHeader } from "../../../_components/page-parts";
import { Pagination } from "../../../_components/pagination";
import { RelativeTime } from "../../../_components/relative-time";
import { VendorFailure } from "../../_components/vendor-failure";
import { loadVendorPage, VendorTrail } from "../../_components/vendor-pages";

type VersionTableProps = Pick<VersionList, "versions" | "latestId"> & { slug: string; now: Date };

/** Versions of a file, each linked to its page and to its difference from the latest one. */
function VersionTable({ versions, latestId, slug, now }: VersionTableProps) {
  const columns: readonly Column<(typeof versions)[number]>[] = [
    {
      title: "First seen",
      cell: ({ id, createdAt }) => (
        <Link href={`/vendors/${slug}/snapshots/${id}`}>
          <time dateTime={createdAt.toISOString()}>{formatDateTime(createdAt)}</time>
        </Link>
      ),
    },
    { title: "Last seen", cell: ({ fetchedAt }) => <RelativeTime at={fetchedAt} now={now} /> },
    { title: "Size", isNumber: true, cell: ({ byteSize }) => formatBytes(byteSize) },
    { title: "Lines", isNumber: true, cell: ({ lineCount }) => lineCount.toLocaleString("en") },
    { title: "Links", isNumber: true, cell: ({ linkCount }) => linkCount.toLocaleString("en") },
    { title: "Security", cell: ({ securityScore }) => <SecurityBadge score={securityScore} /> },
    {
      title: "Compare",
      cell: ({ id }) =>
        latestId === null || id === latestId ? (
          <span className="muted">latest version</span>
        ) : (
          <Link href={`/vendors/${slug}/compare?from=${id}&to=${latestId}`} rel="nofollow">
            with the latest
          </Link>
        ),
    },
  ];
  return <DataTable caption="Versions" columns={columns} items={versions} keyOf={({ id }) => id} stacks />;
}

export const dynamic = "force-dynamic";

type Props = { params: Promise<{ slug: string }>; searchParams: Promise<PageParameters> };

const load = cache((slug: string, cursor: string | undefined) =>
  loadVendorPage(slug, (context) => listVersions(context, { slug, cursor })),
);

async function loadPage({ params, searchParams }: Props) {
  const [{ slug }, query] = await Promise.all([params, searchParams]);
  const { filters, invalid } = readPageFilters({ cursor: pageCursorSchema }, query);
  return { ...(await load(slug, filters.cursor)), slug, invalid, isFirst: filters.cursor === undefined };
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { result, slug, isFirst } = await loadPage(props);
  if (!("data" in result)) return { title: failureTitle(result.error, "Versions") };
  const { vendor, count } = result.data;
  return {
    title: `${vendor.name}: versions`,
    description: `${formatCount(count, "version")} of the tracked file of ${vendor.name} (${vendor.domain}), the newest first.`,
    alternates: { canonical: `/vendors/${slug}/snapshots` },
    ...(!isFirst && { robots: { index: false } }),
  };
}

export default async function VersionsPage(props: Props) {
  const { result, context, slug, invalid, isFirst } = await loadPage(props);
  if (!("data" in result))
    return <VendorFailure error={result.error} page="Versions" title="Couldn’t load the versions." />;
  const { vendor, versions, count, latestId, nextCursor } = result.data;
  const path = `/vendors/${slug}/snapshots`;
  return (
    <>
      <PageHeader
        above={<VendorTrail slug={slug} name={vendor.name} />}
        title={`${vendor.name}: versions`}
        lead="Each version of the file that was fetched, the newest first."
      >
        <Facts>
          {formatCount(count, "version")}
          <Link href={`/vendors/${slug}/compare`} rel="nofollow">
            Compare any two
          </Link>
        </Facts>
      </PageHeader>
      <InvalidFilters messages={invalid} />
      {versions.length > 0 ? (
        <VersionTable versions={versions} latestId={latestId} slug={slug} now={context.clock.now()} />
      ) : (
        <Notice tone="empty">{isFirst ? "The file has not been fetched yet." : "There are no older versions."}</Notice>
      )}
      <Pagination
        label="Versions"
        newestHref={isFirst ? null : path}
        nextHref={nextCursor && `${path}?cursor=${nextCursor}`}
      />
    </>
  );
}
