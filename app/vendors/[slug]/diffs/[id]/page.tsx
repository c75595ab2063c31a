import type { Metadata } from "next";
import { cache } from "react";
import { type DiffPage, getDiffPage, toVisible } from "#lib/tracking/diffs/index";
import { getReportOfDiff, type PublicSections } from "#lib/tracking/intelligence/index";
import { vendorParamsSchema } from "#lib/tracking/vendor-access/index";
import { type PageParameters, readPageNumber } from "#lib/tracking/vendors/index";
import { SignificanceBadge } from "../../../../_components/badge";
import { CodeBlock } from "../../../../_components/code-block";
import { JsonLd } from "../../../../_components/json-ld";
import { Link } from "../../../../_components/link";
import { loadPageData } from "../../../../_components/load-data";
import { failureTitle, LoadFailure } from "../../../../_components/load-failure";
import { getPageContext } from "../../../../_components/page-context";
import { PageHeader } from "../../../../_components/page-header";
import { Pagination } from "../../../../_components/pagination";
import { requireParams } from "../../../../_components/require-params";
import styles from "../../../_components/diff-sections.module.css";
import { DiffText, KeyNotice } from "../../../_components/diff-text";
import { DiffWarning } from "../../../_components/diff-warning";
import {
  formatBytes,
  formatCount,
  formatDay,
  formatLineChanges,
  formatLinkChanges,
} from "../../../_components/format-counts";
import { LinkChanges } from "../../../_components/link-changes";
import { Section } from "../../../_components/section";
import { VendorTrail } from "../../../_components/vendor-trail";

/** Maximum number of sections listed per kind; the rest is counted. */
const maxNamedCount = 12;

const kinds = [
  ["added", "Sections added"],
  ["modified", "Sections changed"],
  ["removed", "Sections removed"],
] as const;

/** Whether a change affected any section. */
function hasSections(sections: PublicSections | null | undefined): sections is PublicSections {
  return sections != null && kinds.some(([kind]) => sections[kind].length > 0);
}

/** The sections that a change added, modified or removed. */
function DiffSections({ sections }: { sections: PublicSections }) {
  return (
    <dl className={styles.sections}>
      {kinds
        .filter(([kind]) => sections[kind].length > 0)
        .map(([kind, title]) => (
          <div key={kind}>
            <dt>{title}</dt>
            {sections[kind].slice(0, maxNamedCount).map((name) => (
              <dd key={name} dir="auto">
                {toVisible(name)}
              </dd>
            ))}
            {sections[kind].length > maxNamedCount && (
              <dd className="muted">and {sections[kind].length - maxNamedCount} more</dd>
            )}
          </div>
        ))}
    </dl>
  );
}

export const dynamic = "force-dynamic";

type Params = { slug: string; id: string };
type Props = { params: Promise<Params>; searchParams: Promise<PageParameters> };

const loadDiff = cache(async (slug: string, id: string, hunkPage: number) => {
  const context = await getPageContext();
  const result = await loadPageData(async () => {
    requireParams(vendorParamsSchema, { slug });
    const page = await getDiffPage(context, { slug, id, page: hunkPage });
    return { ...page, report: await getReportOfDiff(context, page.diff.id) };
  });
  return { context, result };
});

async function loadPage({ params, searchParams }: Props) {
  const [{ slug, id }, query] = await Promise.all([params, searchParams]);
  const view = query.view === "split" ? ("split" as const) : ("unified" as const);
  return { ...(await loadDiff(slug, id, readPageNumber(query.hunks))), slug, view };
}

type Diff = DiffPage["diff"];

const formatTitle = (diff: Diff) => `${diff.vendorName}: ${formatLineChanges(diff)}`;

function describe(diff: Diff): string {
  const { createdAt, linkCountAdded, linkCountRemoved } = diff;
  const links = linkCountAdded + linkCountRemoved > 0 ? `; ${formatLinkChanges(linkCountAdded, linkCountRemoved)}` : "";
  return `The llms.txt file of ${diff.vendorName} on ${formatDay(createdAt)}: ${formatLineChanges(diff)}${links}.`;
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { result, slug } = await loadPage(props);
  if (!("data" in result)) return { title: failureTitle(result.error, "Change") };
  const { diff, report } = result.data;
  return {
    title: `${formatTitle(diff)}, ${formatDay(diff.createdAt)}`,
    description: report?.summary ?? describe(diff),
    alternates: { canonical: `/vendors/${slug}/diffs/${diff.id}` },
  };
}

function listFacts(diff: Diff, significance: number | undefined) {
  const { createdAt, previousByteSize, currentByteSize, linesMoved, exact } = diff;
  return [
    significance !== undefined && <SignificanceBadge key="significance" significance={significance} />,
    <time key="at" dateTime={createdAt.toISOString()}>
      {formatDay(createdAt)}
    </time>,
    `${formatBytes(previousByteSize)} → ${formatBytes(currentByteSize)}`,
    linesMoved > 0 && `${formatCount(linesMoved, "line")} moved`,
    !exact && "not the shortest diff",
  ].filter((fact) => fact !== false);
}

function OtherChanges({ diff, slug }: { diff: Diff; slug: string }) {
  const diffHref = (id: string | null) => (id === null ? null : `/vendors/${slug}/diffs/${id}`);
  return (
    <Pagination label="Changes of this vendor" previousHref={diffHref(diff.olderId)} nextHref={diffHref(diff.newerId)}>
      <Link href={`/vendors/${slug}`}>All changes of {diff.vendorName}</Link>
    </Pagination>
  );
}

function pageData(diff: Diff, url: string) {
  const dates = { datePublished: diff.createdAt.toISOString(), dateModified: diff.createdAt.toISOString() };
  return { "@type": "WebPage", name: formatTitle(diff), description: describe(diff), url, ...dates };
}

export default async function DiffDetailPage(props: Props) {
  const { result, context, slug, view } = await loadPage(props);
  if (!("data" in result)) {
    const header = <PageHeader above={<VendorTrail slug={slug} />} title="Change" />;
    return <LoadFailure error={result.error} header={header} title="Couldn’t load this change." />;
  }
  const { diff, text, report } = result.data;
  const path = `/vendors/${slug}/diffs/${diff.id}`;
  return (
    <>
      <JsonLd data={pageData(diff, `${context.origin}${path}`)} />
      <PageHeader
        above={<VendorTrail slug={slug} name={diff.vendorName} />}
        title={formatTitle(diff)}
        lead={<p dir="auto">{report?.summary ?? describe(diff)}</p>}
        facts={listFacts(diff, report?.significance)}
      />
      <DiffWarning olderScore={diff.previousScore} newerScore={diff.currentScore} isShown={text !== null} />
      <Section id="lines" title="Changed lines">
        {text ? (
          <DiffText text={text} view={view} path={path} />
        ) : (
          <KeyNotice text="the changed lines" url={`${context.origin}/api/v1/vendors/${slug}/diffs`} />
        )}
      </Section>
      {hasSections(report?.sections) && (
        <Section id="sections" title="Sections">
          <DiffSections sections={report.sections} />
        </Section>
      )}
      <LinkChanges {...diff} />
      <Section id="api" title="This change in the API">
        <CodeBlock code={`curl ${context.origin}/api/v1/diffs/${diff.id}`} label="command for this change" wrap />
      </Section>
      <p>
        <Link href={`/vendors/${slug}/compare`} rel="nofollow">
          Compare any two versions
        </Link>
        {" · "}
        <Link href={`/vendors/${slug}/snapshots`}>All versions</Link>
      </p>
      <OtherChanges diff={diff} slug={slug} />
    </>
  );
}
