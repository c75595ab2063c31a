import type { Metadata } from "next";
import { cache } from "react";
import { type DiffPage, getDiffPage } from "#lib/tracking/diffs/index";
import { getReportOfDiff } from "#lib/tracking/intelligence/index";
import { blockedScore } from "#lib/tracking/snapshots/index";
import { type PageParameters, readPageNumber } from "#lib/tracking/vendors/index";
import { SignificanceBadge } from "../../../../_components/badge";
import { CodeBlock } from "../../../../_components/code-block";
import { JsonLd } from "../../../../_components/json-ld";
import { Link } from "../../../../_components/link";
import { Notice } from "../../../../_components/notice";
import { getPageContext } from "../../../../_components/page-context";
import { PageHeader } from "../../../../_components/page-header";
import { Pagination } from "../../../../_components/pagination";
import { DiffSections, hasSections } from "../../../_components/diff-sections";
import { DiffText, TextWithKey } from "../../../_components/diff-text";
import { bytes, day, formatCount, formatLineChanges, formatLinkChanges } from "../../../_components/format-counts";
import { LinkChanges } from "../../../_components/link-changes";
import { ask } from "../../../_components/load-or-not-found";
import { Section } from "../../../_components/section";

export const dynamic = "force-dynamic";

type Params = { slug: string; id: string };
type Props = { params: Promise<Params>; searchParams: Promise<PageParameters> };

const read = cache(async (slug: string, id: string, page: number) => {
  const context = await getPageContext();
  const answer = await ask(async () => {
    const found = await getDiffPage(context, { slug, id, page });
    return { ...found, report: await getReportOfDiff(context, found.diff.id) };
  });
  return { context, answer };
});

async function readGiven({ params, searchParams }: Props) {
  const [{ slug, id }, given] = await Promise.all([params, searchParams]);
  const view = given.view === "split" ? ("split" as const) : ("unified" as const);
  return { ...(await read(slug, id, readPageNumber(given.hunks))), slug, view };
}

type Diff = DiffPage["diff"];

const titleOf = (diff: Diff) => `${diff.vendorName}: ${formatLineChanges(diff)}`;

function describe(diff: Diff): string {
  const { createdAt, linkCountAdded, linkCountRemoved } = diff;
  const links = linkCountAdded + linkCountRemoved > 0 ? `; ${formatLinkChanges(linkCountAdded, linkCountRemoved)}` : "";
  return `The llms.txt file of ${diff.vendorName} on ${day(createdAt)}: ${formatLineChanges(diff)}${links}.`;
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { answer, slug } = await readGiven(props);
  if (!("found" in answer)) return { title: "Change" };
  const { diff, report } = answer.found;
  return {
    title: `${titleOf(diff)}, ${day(diff.createdAt)}`,
    description: report?.summary ?? describe(diff),
    alternates: { canonical: `/vendors/${slug}/diffs/${diff.id}` },
  };
}

function factsOf(diff: Diff, significance: number | undefined) {
  const { createdAt, previousByteSize, currentByteSize, linesMoved, exact } = diff;
  return [
    significance !== undefined && <SignificanceBadge key="significance" significance={significance} />,
    <time key="at" dateTime={createdAt.toISOString()}>
      {day(createdAt)}
    </time>,
    `${bytes(previousByteSize)} → ${bytes(currentByteSize)}`,
    linesMoved > 0 && `${formatCount(linesMoved, "line")} moved`,
    !exact && "not the shortest diff",
  ].filter((fact) => fact !== false);
}

function WayToOthers({ diff, slug }: { diff: Diff; slug: string }) {
  const hrefOf = (id: string | null) => (id === null ? null : `/vendors/${slug}/diffs/${id}`);
  return (
    <Pagination label="Changes of this vendor" previousHref={hrefOf(diff.olderId)} nextHref={hrefOf(diff.newerId)}>
      <Link href={`/vendors/${slug}`}>All of {diff.vendorName}</Link>
    </Pagination>
  );
}

function webPage(diff: Diff, url: string) {
  const dates = { datePublished: diff.createdAt.toISOString(), dateModified: diff.createdAt.toISOString() };
  return { "@type": "WebPage", name: titleOf(diff), description: describe(diff), url, ...dates };
}

function Warning() {
  return (
    <Notice title="Read this as data.">
      <p>This version tries to do something to a model that reads it. Do not hand it to one as it stands.</p>
    </Notice>
  );
}

export default async function DiffDetailPage(props: Props) {
  const { answer, context, slug, view } = await readGiven(props);
  const above = [
    <Link key="vendors" href="/vendors">
      Vendors
    </Link>,
    " / ",
  ];
  if (!("found" in answer)) {
    return (
      <>
        <PageHeader above={above} title="Change" />
        <Notice tone="error" title="This change cannot be shown.">
          <p>{answer.message}</p>
        </Notice>
      </>
    );
  }
  const { diff, text, report } = answer.found;
  const path = `/vendors/${slug}/diffs/${diff.id}`;
  return (
    <>
      <JsonLd data={webPage(diff, `${context.origin}${path}`)} />
      <PageHeader
        above={[
          ...above,
          <Link key="vendor" href={`/vendors/${slug}`}>
            {diff.vendorName}
          </Link>,
        ]}
        title={titleOf(diff)}
        lead={report?.summary ?? describe(diff)}
        facts={factsOf(diff, report?.significance)}
      />
      {hasSections(report?.sections) && (
        <Section id="sections" title="Sections">
          <DiffSections sections={report.sections} />
        </Section>
      )}
      <Section id="links" title="Links">
        <LinkChanges
          added={diff.linksAdded}
          addedCount={diff.linkCountAdded}
          removed={diff.linksRemoved}
          removedCount={diff.linkCountRemoved}
        />
      </Section>
      <Section id="lines" title="Changed lines">
        {diff.securityScore >= blockedScore && <Warning />}
        {text ? <DiffText text={text} view={view} path={path} /> : <TextWithKey origin={context.origin} slug={slug} />}
      </Section>
      <Section id="api" title="This change in the API">
        <CodeBlock code={`curl ${context.origin}/api/v1/diffs/${diff.id}`} label="command for this change" wrap />
      </Section>
      <WayToOthers diff={diff} slug={slug} />
    </>
  );
}
