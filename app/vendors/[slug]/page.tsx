import type { Metadata } from "next";
import { cache } from "react";
import { getNewestReport } from "#lib/tracking/intelligence/index";
import { blockedScore } from "#lib/tracking/snapshots/index";
import { getVendorPage, type VendorPage } from "#lib/tracking/vendors/index";
import { Badge, StatusBadge } from "../../_components/badge";
import { JsonLd } from "../../_components/json-ld";
import { Link } from "../../_components/link";
import { Notice } from "../../_components/notice";
import { getPageContext } from "../../_components/page-context";
import { PageHeader } from "../../_components/page-header";
import { RelativeTime } from "../../_components/relative-time";
import { ChangeTimeline } from "../_components/change-timeline";
import { Follow } from "../_components/follow-options";
import { formatCount } from "../_components/format-counts";
import { DiffTable, SnapshotTable } from "../_components/history-tables";
import { LatestReport } from "../_components/latest-report";
import { ask } from "../_components/load-or-not-found";
import { Section } from "../_components/section";
import { SecurityFindings } from "../_components/security-findings";
import { SizeChart } from "../_components/size-chart";
import { WebLink } from "../_components/web-link";
import styles from "./page.module.css";

export const dynamic = "force-dynamic";

type Props = { params: Promise<{ slug: string }> };

const read = cache(async (slug: string) => {
  const context = await getPageContext();
  const answer = await ask(() => Promise.all([getVendorPage(context, slug), getNewestReport(context, slug)]));
  return { context, answer };
});

function describe({ vendor, counts }: VendorPage): string {
  const history = `${formatCount(counts.snapshots, "version")} and ${formatCount(counts.diffs, "change")}`;
  return `The llms.txt file of ${vendor.name} (${vendor.domain}): ${history} so far.`;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { slug } = await params;
  const { answer } = await read(slug);
  if (!("found" in answer)) return { title: slug };
  const [page] = answer.found;
  return { title: page.vendor.name, description: describe(page), alternates: { canonical: `/vendors/${slug}` } };
}

function dataset(page: VendorPage, origin: string) {
  const { vendor, snapshots } = page;
  const url = `${origin}/vendors/${vendor.slug}`;
  const download = (contentUrl: string, encodingFormat: string) => {
    return { "@type": "DataDownload", contentUrl, encodingFormat };
  };
  return {
    "@type": "Dataset",
    ...{ name: `llms.txt of ${vendor.name}`, description: describe(page), url, isAccessibleForFree: true },
    dateModified: snapshots[0]?.firstSeenAt.toISOString(),
    distribution: [
      download(`${origin}/api/v1/vendors/${vendor.slug}`, "application/json"),
      download(`${url}/feed.xml`, "application/atom+xml"),
    ],
  };
}

function Header({ page: { vendor, counts }, now }: { page: VendorPage; now: Date }) {
  return (
    <PageHeader
      above={<Link href="/vendors">Vendors</Link>}
      title={vendor.name}
      facts={[
        <StatusBadge key="status" status={vendor.status} />,
        <Badge key="category">{vendor.category}</Badge>,
        <WebLink key="file" href={vendor.llms_txt_url} />,
        vendor.lastFetchedAt ? (
          <span key="fetched">
            last fetched <RelativeTime at={vendor.lastFetchedAt} now={now} />
          </span>
        ) : (
          "never fetched"
        ),
        ...(vendor.status !== "active" && vendor.statusSince
          ? [
              <span key="since">
                {vendor.status} since <RelativeTime at={vendor.statusSince} now={now} />
              </span>,
            ]
          : []),
        formatCount(counts.snapshots, "version"),
        formatCount(counts.diffs, "change"),
      ]}
    />
  );
}

/** Says that there are older ones; nothing where all are shown. */
function lastOf(shown: number, count: number): string | undefined {
  return shown < count ? `The last ${shown} of ${count.toLocaleString("en")}.` : undefined;
}

/** What the page has of a vendor whose file was fetched. */
function History({ page, now }: { page: VendorPage; now: Date }) {
  const { vendor, changes, snapshots, diffs, findings } = page;
  const [latest] = snapshots;
  return (
    <>
      <Section id="size" title="Size and changes">
        <SizeChart snapshots={snapshots} changes={changes} now={now} />
      </Section>
      <Section id="changes" title="Changes" hint={lastOf(diffs.length, page.counts.diffs)}>
        {diffs.length > 0 ? (
          <DiffTable diffs={diffs} slug={vendor.slug} />
        ) : (
          <Notice tone="empty">
            <p>The file has not changed since it was first fetched.</p>
          </Notice>
        )}
      </Section>
      <Section id="snapshots" title="Snapshots" hint={lastOf(snapshots.length, page.counts.snapshots)}>
        <SnapshotTable snapshots={snapshots} now={now} />
      </Section>
      {latest && (
        <Section id="security" title="Security of the latest version">
          <SecurityFindings score={latest.security_score} findings={findings} />
        </Section>
      )}
    </>
  );
}

export default async function VendorDetailPage({ params }: Props) {
  const { slug } = await params;
  const { context, answer } = await read(slug);
  if (!("found" in answer)) {
    return (
      <>
        <PageHeader above={<Link href="/vendors">Vendors</Link>} title={slug} />
        <Notice tone="error" title="This vendor cannot be shown.">
          <p>{answer.message}</p>
        </Notice>
      </>
    );
  }
  const [page, report] = answer.found;
  const { origin } = context;
  const now = context.clock.now();
  const [latest] = page.snapshots;
  return (
    <>
      <JsonLd data={dataset(page, origin)} />
      <Header page={page} now={now} />
      {latest ? (
        <>
          <ChangeTimeline changes={page.changes} snapshots={page.snapshots} slug={slug} now={now} />
          <Section id="report" title="Latest report">
            <LatestReport report={report} slug={slug} origin={origin} now={now} />
          </Section>
          <History page={page} now={now} />
        </>
      ) : (
        <div className={styles.unfetched}>
          <Notice tone="empty" title="Nothing has been fetched yet.">
            <p>
              The job <code>fetch-vendors</code> fetches this file next; <Link href="/status">status</Link> shows when
              it ran.
            </p>
          </Notice>
        </div>
      )}
      <Section id="follow" title="Follow this vendor">
        <Follow slug={slug} origin={origin} hasContent={latest !== undefined && latest.security_score < blockedScore} />
      </Section>
    </>
  );
}
