import type { Metadata } from "next";
import { cache } from "react";
import type { PageParameters } from "#lib/contract/query-schemas";
import { formatCount } from "#lib/platform/format-count";
import { type DiffPage, getDiffPage, toVisible } from "#lib/tracking/diffs/index";
import { getReportOfDiff, type PublicSections } from "#lib/tracking/intelligence/index";
import { readPageNumber } from "#lib/tracking/vendors/index";
import { SignificanceBadge } from "../../../../_components/badge";
import { CodeBlock } from "../../../../_components/code-block";
import { formatBytes, formatChanges, formatDay, formatLineChanges } from "../../../../_components/format";
import { JsonLd } from "../../../../_components/json-ld";
import { Link } from "../../../../_components/link";
import { failureTitle } from "../../../../_components/load-failure";
import { Facts, PageHeader, Section } from "../../../../_components/page-parts";
import { Pagination } from "../../../../_components/pagination";
import styles from "../../../_components/diff-sections.module.css";
import { DiffText, DiffWarning, KeyNotice } from "../../../_components/diff-text";
import { LinkChanges } from "../../../_components/link-changes";
import { OperationTable } from "../../../_components/operation-table";
import { VendorFailure } from "../../../_components/vendor-failure";
import { loadVendorPage, VendorTrail, VersionLinks } from "../../../_components/vendor-pages";

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

const loadDiff = cache((slug: string, id: string, hunkPage: number) =>
  loadVendorPage(slug, async (context) => {
    const page = await getDiffPage(context, { slug, id, page: hunkPage });
    return { ...page, report: await getReportOfDiff(context, page.diff.id) };
  }),
);

async function loadPage({ params, searchParams }: Props) {
  const [{ slug, id }, query] = await Promise.all([params, searchParams]);
  const view = query.view === "split" ? ("split" as const) : ("unified" as const);
  return { ...(await loadDiff(slug, id, readPageNumber(query.hunks))), slug, view };
}

type Diff = DiffPage["diff"];

const formatTitle = (diff: Diff) => `${diff.vendorName}: ${formatLineChanges(diff)}`;

function describe(diff: Diff): string {
  return `The tracked file of ${diff.vendorName} on ${formatDay(diff.createdAt)}: ${formatChanges(diff)}.`;
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

function DiffFacts({ diff, significance }: { diff: Diff; significance: number | undefined }) {
  const { createdAt, previousByteSize, currentByteSize, linesMoved, exact } = diff;
  return (
    <Facts>
      {significance !== undefined && <SignificanceBadge significance={significance} />}
      <time dateTime={createdAt.toISOString()}>{formatDay(createdAt)}</time>
      {`${formatBytes(previousByteSize)} → ${formatBytes(currentByteSize)}`}
      {linesMoved > 0 && `${formatCount(linesMoved, "line")} moved`}
      {!exact && "not the shortest diff"}
    </Facts>
  );
}

function pageData(diff: Diff, url: string) {
  const dates = { datePublished: diff.createdAt.toISOString(), dateModified: diff.createdAt.toISOString() };
  return { "@type": "WebPage", name: formatTitle(diff), description: describe(diff), url, ...dates };
}

export default async function DiffDetailPage(props: Props) {
  const { result, context, slug, view } = await loadPage(props);
  if (!("data" in result))
    return <VendorFailure error={result.error} page="Change" title="Couldn’t load this change." />;
  const { diff, text, report, operations } = result.data;
  const path = `/vendors/${slug}/diffs/${diff.id}`;
  const diffHref = (id: string | null) => id && `/vendors/${slug}/diffs/${id}`;
  return (
    <>
      <JsonLd data={pageData(diff, `${context.origin}${path}`)} />
      <PageHeader
        above={<VendorTrail slug={slug} name={diff.vendorName} />}
        title={formatTitle(diff)}
        lead={<p dir="auto">{report?.summary ?? describe(diff)}</p>}
      >
        <DiffFacts diff={diff} significance={report?.significance} />
      </PageHeader>
      <DiffWarning olderScore={diff.previousScore} newerScore={diff.currentScore} isShown={text !== null} />
      {operations.length > 0 && (
        <Section id="operations" title="Operations">
          <OperationTable operations={operations} />
        </Section>
      )}
      <Section id="lines" title="Changed lines">
        {text ? (
          <DiffText text={text} view={view} path={path} />
        ) : (
          <KeyNotice text="the changed lines" url={`${context.origin}/api/v1/vendors/${slug}/diffs`} />
        )}
      </Section>
      {operations.length === 0 && hasSections(report?.sections) && (
        <Section id="sections" title="Sections">
          <DiffSections sections={report.sections} />
        </Section>
      )}
      <LinkChanges {...diff} />
      <Section id="api" title="This change in the API">
        <CodeBlock
          code={`curl ${diff.isPublic ? "" : '-H "Authorization: Bearer $KEY" '}${context.origin}/api/v1/diffs/${diff.id}`}
          label="command for this change"
          wrap
        />
      </Section>
      <VersionLinks slug={slug} />
      <Pagination
        label="Changes of this vendor"
        previousHref={diffHref(diff.olderId)}
        nextHref={diffHref(diff.newerId)}
      >
        <Link href={`/vendors/${slug}`}>All changes of {diff.vendorName}</Link>
      </Pagination>
    </>
  );
}
