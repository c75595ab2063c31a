import type { Metadata } from "next";
import { cache } from "react";
import type { PageParameters } from "#lib/contract/query-schemas";
import { formatCount } from "#lib/platform/format-count";
import { type ComparePage, getComparePage, type ShownComparison } from "#lib/tracking/history/index";
import { readPageNumber } from "#lib/tracking/vendors/index";
import { Button } from "../../../_components/button";
import { CodeBlock } from "../../../_components/code-block";
import { SelectField } from "../../../_components/field";
import { formatBytes, formatDateTime, formatDay, formatLineChanges } from "../../../_components/format";
import { Link } from "../../../_components/link";
import { failureTitle } from "../../../_components/load-failure";
import { Notice, PageHeader, Section } from "../../../_components/page-parts";
import styles from "../../_components/compare-form.module.css";
import { DiffText, DiffWarning, KeyNotice } from "../../_components/diff-text";
import { LinkChanges } from "../../_components/link-changes";
import { VendorFailure } from "../../_components/vendor-failure";
import { loadVendorPage, VendorTrail } from "../../_components/vendor-pages";

type CompareFormProps = Pick<ComparePage, "choices" | "from" | "to"> & { slug: string };

const sides = [
  ["from", "From"],
  ["to", "To"],
] as const;

/** Chooses two versions to compare, as a form that works without JavaScript. */
function CompareForm({ choices, slug, ...chosen }: CompareFormProps) {
  return (
    <search aria-label="Two versions">
      <form action={`/vendors/${slug}/compare`} className={styles.form}>
        {sides.map(([name, label]) => (
          <SelectField
            key={name}
            id={`compare-${name}`}
            label={label}
            name={name}
            defaultValue={chosen[name]?.id}
            choices={choices.map(({ id, createdAt, byteSize, replacedAt }) => [
              id,
              `${formatDateTime(createdAt)}, ${formatBytes(byteSize)}${replacedAt === null ? " (latest)" : ""}`,
            ])}
          />
        ))}
        <Button type="submit" variant="primary">
          Compare
        </Button>
      </form>
    </search>
  );
}

export const dynamic = "force-dynamic";

type Props = { params: Promise<{ slug: string }>; searchParams: Promise<PageParameters> };

const load = cache((slug: string, from: string | undefined, to: string | undefined, page: number) =>
  loadVendorPage(slug, (context) => getComparePage(context, { slug, from, to, page })),
);

async function loadPage({ params, searchParams }: Props) {
  const [{ slug }, query] = await Promise.all([params, searchParams]);
  const [from, to] = [query.from, query.to].map((value) => [value].flat()[0]);
  const view = query.view === "split" ? ("split" as const) : ("unified" as const);
  return { ...(await load(slug, from, to, readPageNumber(query.hunks))), slug, view };
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { result, slug } = await loadPage(props);
  if (!("data" in result)) return { title: failureTitle(result.error, "Compare versions") };
  const { vendor, from, to } = result.data;
  const days = from && to ? ` of ${formatDay(from.createdAt)} and ${formatDay(to.createdAt)}` : "";
  // Not indexed, because there are as many URLs as pairs of versions.
  return {
    title: `${vendor.name}: compare versions${days}`,
    description: `What changed between the versions${days} of the tracked file of ${vendor.name} (${vendor.domain}).`,
    alternates: { canonical: `/vendors/${slug}/compare` },
    robots: { index: false },
  };
}

type Compared = { from: NonNullable<ComparePage["from"]>; to: NonNullable<ComparePage["to"]> };

function describe({ direction, linesAdded, linesRemoved }: ShownComparison, { from, to }: Compared): string {
  if (linesAdded + linesRemoved === 0) return "The two versions have the same content.";
  const days = `${formatDay(from.createdAt)} to ${formatDay(to.createdAt)}`;
  const order = direction === "newer-to-older" ? ", from the newer version back to the older one" : "";
  return `${formatLineChanges({ linesAdded, linesRemoved })}: ${days}${order}.`;
}

type ResultProps = Compared & { comparison: ShownComparison; path: string; view: "unified" | "split" };

function Result({ comparison, from, to, path, view }: ResultProps) {
  const [older, newer] = comparison.direction === "newer-to-older" ? [to, from] : [from, to];
  const { linesMoved, exact, text } = comparison;
  const facts = [
    `${describe(comparison, { from, to })} ${formatBytes(from.byteSize)} → ${formatBytes(to.byteSize)}`,
    linesMoved > 0 && `${formatCount(linesMoved, "line")} moved`,
    !exact && "not the shortest diff",
  ];
  return (
    <>
      <DiffWarning olderScore={older.securityScore} newerScore={newer.securityScore} isShown />
      <Section id="lines" title="Changed lines" hint={facts.filter(Boolean).join(", ")}>
        {text.lineCount > 0 ? (
          <DiffText text={text} view={view} path={path} />
        ) : (
          <Notice tone="empty">No lines were added or removed.</Notice>
        )}
      </Section>
      <LinkChanges {...comparison} />
    </>
  );
}

export default async function CompareVersionsPage(props: Props) {
  const { result, context, slug, view } = await loadPage(props);
  if (!("data" in result))
    return <VendorFailure error={result.error} page="Compare versions" title="Couldn’t compare the versions." />;
  const { vendor, choices, from, to, comparison } = result.data;
  const path = `/vendors/${slug}/compare?from=${from?.id}&to=${to?.id}`;
  const apiUrl = `${context.origin}/api/v1${path}`;
  return (
    <>
      <PageHeader
        above={<VendorTrail slug={slug} name={vendor.name} />}
        title={`${vendor.name}: compare versions`}
        lead="Choose any two versions of the file to see what differs, in either order."
      >
        <p className="caption">
          <Link href={`/vendors/${slug}/snapshots`}>All versions</Link>
        </p>
      </PageHeader>
      {from && to ? (
        <>
          <CompareForm choices={choices} from={from} to={to} slug={slug} />
          {comparison && <Result comparison={comparison} from={from} to={to} path={path} view={view} />}
          {!vendor.hasText && (
            <Section id="lines" title="Changed lines">
              <KeyNotice text="the changed lines" url={apiUrl} />
            </Section>
          )}
          {comparison && (
            <Section id="api" title="This comparison in the API">
              <CodeBlock code={`curl "${apiUrl}"`} label="command for this comparison" wrap />
            </Section>
          )}
        </>
      ) : (
        <Notice tone="empty">The file has not been fetched yet.</Notice>
      )}
    </>
  );
}
