import type { Metadata } from "next";
import { cache } from "react";
import { blockedScore } from "#lib/contract/blocked-content";
import type { PageParameters } from "#lib/contract/query-schemas";
import { formatCount } from "#lib/platform/format-count";
import { getVersionPage, type VersionPage } from "#lib/tracking/history/index";
import { readPageNumber } from "#lib/tracking/vendors/index";
import { CodeBlock } from "../../../../_components/code-block";
import { formatBytes, formatDateTime, formatDay } from "../../../../_components/format";
import { Link } from "../../../../_components/link";
import { failureTitle } from "../../../../_components/load-failure";
import { Facts, Notice, PageHeader, Section } from "../../../../_components/page-parts";
import { NumberedPages, Pagination } from "../../../../_components/pagination";
import { KeyNotice } from "../../../_components/diff-text";
import { LineTable } from "../../../_components/hunks";
import styles from "../../../_components/hunks.module.css";
import { SecurityFindings } from "../../../_components/security-findings";
import { VendorFailure } from "../../../_components/vendor-failure";
import { loadVendorPage, VendorTrail } from "../../../_components/vendor-pages";

type VersionTextProps = { text: NonNullable<VersionPage["text"]>; path: string };

/** The lines of a version, in pages. The vendor's text is shown as plain text. */
function VersionText({ text: { lines, page, pageCount }, path }: VersionTextProps) {
  const pageHref = (number: number) => (number === 1 ? path : `${path}?lines=${number}`);
  const pages = (label: string) => <NumberedPages label={label} page={page} pageCount={pageCount} hrefOf={pageHref} />;
  return (
    <>
      {page > 1 && pages("Lines, top")}
      <LineTable label="Lines" titles={["Line", "Text"]} view="lines">
        <tbody>
          {lines.map(({ number, text, omittedLength }) => (
            <tr key={number}>
              <td id={`L${number}`} className={styles.number}>
                <a href={`#L${number}`} aria-label={`Line ${number}`}>
                  {number}
                </a>
              </td>
              <td className={styles.text}>
                <div dir="auto">
                  {text}
                  {omittedLength > 0 && (
                    <span dir="ltr" className={styles.note}>
                      {omittedLength.toLocaleString("en")} more characters
                    </span>
                  )}
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </LineTable>
      {pages("Lines")}
    </>
  );
}

export const dynamic = "force-dynamic";

type Params = { slug: string; id: string };
type Props = { params: Promise<Params>; searchParams: Promise<PageParameters> };

const load = cache((slug: string, id: string, page: number) =>
  loadVendorPage(slug, (context) => getVersionPage(context, { slug, id, page })),
);

async function loadPage({ params, searchParams }: Props) {
  const [{ slug, id }, { lines }] = await Promise.all([params, searchParams]);
  return { ...(await load(slug, id, readPageNumber(lines))), slug };
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { result, slug } = await loadPage(props);
  if (!("data" in result)) return { title: failureTitle(result.error, "Version") };
  const { vendor, version } = result.data;
  return {
    title: `${vendor.name}: version of ${formatDay(version.createdAt)}`,
    description: `The tracked file of ${vendor.name} (${vendor.domain}) as of ${formatDay(version.createdAt)}: ${formatCount(version.lineCount, "line")}.`,
    alternates: { canonical: `/vendors/${slug}/snapshots/${version.id}` },
  };
}

/** The lines of the version, or why the page does not show them. */
function Lines({ data, path, apiUrl }: { data: VersionPage; path: string; apiUrl: string }) {
  const { text, version } = data;
  if (text?.lines.length === 0) return <Notice tone="empty">The file was empty.</Notice>;
  if (text) return <VersionText text={text} path={path} />;
  if (version.securityScore < blockedScore) return <KeyNotice text="the lines of versions" url={apiUrl} />;
  return (
    <Notice tone="error" title="This text may try to control a model.">
      It is withheld: its security score is {version.securityScore} of 5, and content with a score of {blockedScore} or
      more is not shown. <Link href="/docs/security-score">How scoring works</Link>
    </Notice>
  );
}

export default async function VersionDetailPage(props: Props) {
  const { result, context, slug } = await loadPage(props);
  if (!("data" in result))
    return <VendorFailure error={result.error} page="Version" title="Couldn’t load this version." />;
  const { data } = result;
  const { vendor, version, findings, olderId, newerId } = data;
  const path = `/vendors/${slug}/snapshots/${version.id}`;
  const apiUrl = `${context.origin}/api/v1${path}`;
  const versionHref = (id: string | null) => id && `/vendors/${slug}/snapshots/${id}`;
  return (
    <>
      <PageHeader
        above={<VendorTrail slug={slug} name={vendor.name} />}
        title={`${vendor.name}: version of ${formatDay(version.createdAt)}`}
      >
        <Facts>
          <time dateTime={version.createdAt.toISOString()}>first seen {formatDateTime(version.createdAt)}</time>
          {version.replacedAt ? (
            <time dateTime={version.replacedAt.toISOString()}>replaced {formatDateTime(version.replacedAt)}</time>
          ) : (
            "the latest version"
          )}
          {formatBytes(version.byteSize)}
          {formatCount(version.lineCount, "line")}
          {formatCount(version.linkCount, "link")}
          <Link
            href={`/vendors/${slug}/compare?from=${version.id}${newerId ? "" : `&to=${version.id}`}`}
            rel="nofollow"
          >
            Compare with another
          </Link>
        </Facts>
      </PageHeader>
      <Section id="lines" title="Lines">
        <Lines data={data} path={path} apiUrl={apiUrl} />
      </Section>
      <Section id="security" title="Security">
        <SecurityFindings score={version.securityScore} findings={findings} />
      </Section>
      {data.text && (
        <Section id="api" title="This version in the API">
          <CodeBlock code={`curl ${apiUrl}`} label="command for this version" wrap />
        </Section>
      )}
      <Pagination label="Versions of this vendor" previousHref={versionHref(olderId)} nextHref={versionHref(newerId)}>
        <Link href={`/vendors/${slug}/snapshots`}>All versions of {vendor.name}</Link>
      </Pagination>
    </>
  );
}
