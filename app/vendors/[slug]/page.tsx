import type { Metadata } from "next";
import { cache } from "react";
import { blockedScore } from "#lib/contract/blocked-content";
import { formatCount } from "#lib/platform/format-count";
import { mailSettings } from "#lib/platform/mail/index";
import { getNewestReport } from "#lib/tracking/intelligence/index";
import { getVendorPage, isFetchingScheduled, type VendorPage } from "#lib/tracking/vendors/index";
import { Badge, VendorStatusBadge } from "../../_components/badge";
import { FetchingOff } from "../../_components/fetching-notice";
import { JsonLd } from "../../_components/json-ld";
import { Link } from "../../_components/link";
import { failureTitle } from "../../_components/load-failure";
import { Facts, Notice, PageHeader, Section } from "../../_components/page-parts";
import { RelativeTime } from "../../_components/relative-time";
import { ChangeTimeline } from "../_components/change-timeline";
import { FollowOptions } from "../_components/follow-options";
import { DiffTable, SnapshotTable } from "../_components/history-tables";
import { LatestReport } from "../_components/latest-report";
import { OperationTable } from "../_components/operation-table";
import { SecurityFindings } from "../_components/security-findings";
import { SizeChart } from "../_components/size-chart";
import { VendorFailure } from "../_components/vendor-failure";
import { loadVendorPage, VersionLinks, WebLink } from "../_components/vendor-pages";

export const dynamic = "force-dynamic";

type Props = { params: Promise<{ slug: string }> };

const load = cache((slug: string) =>
  loadVendorPage(slug, (context) =>
    Promise.all([getVendorPage(context, slug), getNewestReport(context, slug), isFetchingScheduled(context)]),
  ),
);

function describe({ vendor, counts }: VendorPage): string {
  const history = `${formatCount(counts.snapshots, "version")} and ${formatCount(counts.diffs, "change")}`;
  return `The tracked file of ${vendor.name} (${vendor.domain}): ${history} so far.`;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { slug } = await params;
  const { result } = await load(slug);
  if (!("data" in result)) return { title: failureTitle(result.error, slug) };
  const [page] = result.data;
  const path = `/vendors/${slug}`;
  const types = { "application/atom+xml": `${path}/feed.xml`, "application/feed+json": `${path}/feed.json` };
  return { title: page.vendor.name, description: describe(page), alternates: { canonical: path, types } };
}

function datasetData(page: VendorPage, origin: string) {
  const { vendor, snapshots } = page;
  const url = `${origin}/vendors/${vendor.slug}`;
  const download = (contentUrl: string, encodingFormat: string) => {
    return { "@type": "DataDownload", contentUrl, encodingFormat };
  };
  return {
    "@type": "Dataset",
    name: `llms.txt of ${vendor.name}`,
    description: describe(page),
    url,
    isAccessibleForFree: true,
    dateModified: snapshots[0]?.firstSeenAt.toISOString(),
    distribution: [
      download(`${origin}/api/v1/vendors/${vendor.slug}`, "application/json"),
      download(`${url}/feed.xml`, "application/atom+xml"),
    ],
  };
}

function LastFetch({ vendor: { isSample, lastFetchedAt }, now }: { vendor: VendorPage["vendor"]; now: Date }) {
  if (isSample) return "sample, not fetched";
  if (!lastFetchedAt) return "never fetched";
  return (
    <span>
      last fetched <RelativeTime at={lastFetchedAt} now={now} />
    </span>
  );
}

function Header({ page: { vendor, counts, snapshots }, now }: { page: VendorPage; now: Date }) {
  return (
    <PageHeader above={<Link href="/vendors">Vendors</Link>} title={vendor.name}>
      <Facts>
        <VendorStatusBadge status={vendor.status} hasVersion={snapshots.length > 0} />
        <Badge>{vendor.category}</Badge>
        <WebLink href={vendor.llms_txt_url} />
        <LastFetch vendor={vendor} now={now} />
        {vendor.status !== "active" && vendor.statusSince && (
          <span>
            {vendor.status} since <RelativeTime at={vendor.statusSince} now={now} />
          </span>
        )}
        {formatCount(counts.snapshots, "version")}
        {formatCount(counts.diffs, "change")}
      </Facts>
    </PageHeader>
  );
}

/** Says that older entries are not shown; undefined if all are shown. */
function describeLimit(shown: number, count: number): string | undefined {
  return shown < count ? `The latest ${shown} of ${count.toLocaleString("en")}.` : undefined;
}

/** The history of a vendor whose file was fetched at least once. */
function History({ page, now }: { page: VendorPage; now: Date }) {
  const { vendor, changes, snapshots, diffs, findings, operations } = page;
  const [latest] = snapshots;
  return (
    <>
      <Section id="size" title="Size and changes">
        <SizeChart snapshots={snapshots} changes={changes} now={now} />
      </Section>
      {operations.length > 0 && (
        <Section id="operations" title="Operations" hint="The latest changes of the API.">
          <OperationTable operations={operations} slug={vendor.slug} />
        </Section>
      )}
      <Section id="changes" title="Changes" hint={describeLimit(diffs.length, page.counts.diffs)}>
        {diffs.length > 0 ? (
          <DiffTable diffs={diffs} slug={vendor.slug} />
        ) : (
          <Notice tone="empty">No other version was fetched.</Notice>
        )}
        {diffs.length > 0 && !vendor.isOwn && (
          <p>
            <Link href={`/changes?vendor=${vendor.slug}`}>Changes with their summaries</Link>
          </p>
        )}
      </Section>
      <Section id="snapshots" title="Snapshots" hint={describeLimit(snapshots.length, page.counts.snapshots)}>
        <SnapshotTable snapshots={snapshots} vendor={vendor} now={now} />
        <VersionLinks slug={vendor.slug} />
      </Section>
      {latest && (
        <Section id="security" title="Security of the latest version">
          <SecurityFindings score={latest.security_score} findings={findings} />
        </Section>
      )}
    </>
  );
}

/** What becomes of a vendor without a version. */
function Unfetched({ isScheduled }: { isScheduled: boolean }) {
  return (
    <Notice tone="empty" title="Not fetched yet.">
      {isScheduled ? (
        <>
          The job <code>fetch-vendors</code> fetches this file next. See <Link href="/status">Status</Link> for its last
          run.
        </>
      ) : (
        <FetchingOff />
      )}
    </Notice>
  );
}

/** Says that the file cannot be fetched now; what is shown may be out of date. */
function FetchFailure({ vendor: { failure, failing_since: since }, now }: { vendor: VendorPage["vendor"]; now: Date }) {
  if (failure === undefined || since === undefined) return null;
  return (
    <Notice title="The file cannot be fetched now.">
      The last fetch failed with <code>{failure}</code>. Fetches started to fail{" "}
      <RelativeTime at={new Date(since)} now={now} />. What this page shows is from before.
    </Notice>
  );
}

/** Where the versions of a vendor come from, if not from its site now. */
function Origin({ vendor, isScheduled }: { vendor: VendorPage["vendor"]; isScheduled: boolean }) {
  if (!vendor.isSample && isScheduled) return null;
  return (
    <Notice>
      {vendor.isSample ? "This vendor is a sample: it is invented, with its versions and dates." : <FetchingOff />}
    </Notice>
  );
}

export default async function VendorDetailPage({ params }: Props) {
  const { slug } = await params;
  const { context, result } = await load(slug);
  if (!("data" in result)) return <VendorFailure error={result.error} page={slug} title="Couldn’t load this vendor." />;
  const [page, report, isScheduled] = result.data;
  const { origin } = context;
  const now = context.clock.now();
  const [latest] = page.snapshots;
  return (
    <>
      {!page.vendor.isOwn && <JsonLd data={datasetData(page, origin)} />}
      <Header page={page} now={now} />
      <FetchFailure vendor={page.vendor} now={now} />
      {latest ? (
        <>
          <Origin vendor={page.vendor} isScheduled={isScheduled} />
          <ChangeTimeline changes={page.changes} snapshots={page.snapshots} slug={slug} now={now} />
          <Section id="report" title="Latest report">
            <LatestReport report={report} vendor={page.vendor} origin={origin} now={now} />
          </Section>
          <History page={page} now={now} />
        </>
      ) : (
        <Unfetched isScheduled={isScheduled} />
      )}
      {page.vendor.isOwn ? (
        <p>
          Only the keys of your account see this vendor. Set up webhooks and digests for it at{" "}
          <Link href="/key">Your key</Link>.
        </p>
      ) : (
        <Section id="follow" title="Follow this vendor">
          <FollowOptions
            slug={slug}
            origin={origin}
            hasMail={mailSettings() !== undefined}
            hasContent={latest !== undefined && latest.security_score < blockedScore}
          />
        </Section>
      )}
    </>
  );
}
