import type { Metadata } from "next";
import { describeBeyond, type PageParameters } from "#lib/contract/query-schemas";
import { sitePages } from "#lib/discovery/documents/index";
import { formatCount } from "#lib/platform/format-count";
import { mailSettings } from "#lib/platform/mail/index";
import { dayMs } from "#lib/platform/time";
import {
  type Directory,
  type DirectoryQuery,
  type DirectoryVendor,
  directoryHref,
  directoryPageSize,
  getStats,
  getVendorFacts,
  listDirectory,
  maxSearchLength,
  readDirectoryQuery,
  type VendorChange,
  vendorCategories,
  vendorStatuses,
} from "#lib/tracking/vendors/index";
import { VendorStatusBadge } from "../_components/badge";
import { Button } from "../_components/button";
import { type Column, DataTable } from "../_components/data-table";
import { FetchingNotice } from "../_components/fetching-notice";
import { FilterField, InputField, SelectField } from "../_components/field";
import { formatBytes, formatDay, formatShortChanges } from "../_components/format";
import { Link } from "../_components/link";
import { loadPageData } from "../_components/load-data";
import { LoadFailure } from "../_components/load-failure";
import { getPageContext } from "../_components/page-context";
import { Facts, InvalidFilters, Notice, PageHeader } from "../_components/page-parts";
import { NumberedPages } from "../_components/pagination";
import { RelativeTime } from "../_components/relative-time";
import { AutoSubmitForm } from "./_components/auto-submit-form";
import { timeScale } from "./_components/time-scale";
import styles from "./page.module.css";

const sortChoices = [
  ["", "latest change"],
  ["name", "name"],
] as const;

/** The search and filters of the directory, set from the URL. */
function DirectoryFilters({ query }: { query: DirectoryQuery }) {
  const { q, category, status, sort } = query;
  return (
    <AutoSubmitForm action="/vendors" label="Vendors" className={styles.filters}>
      <InputField
        id="filter-q"
        label="Name or domain"
        type="search"
        name="q"
        defaultValue={q}
        maxLength={maxSearchLength}
      />
      <FilterField name="category" label="Category" any="all categories" value={category} choices={vendorCategories} />
      <FilterField name="status" label="Status" any="any status" value={status} choices={vendorStatuses} />
      <SelectField
        id="filter-sort"
        name="sort"
        label="Sort by"
        defaultValue={sort === "changed" ? "" : sort}
        choices={sortChoices}
      />
      <Button type="submit" variant="primary">
        Search
      </Button>
    </AutoSubmitForm>
  );
}

export const dynamic = "force-dynamic";

type Props = { searchParams: Promise<PageParameters> };

export async function generateMetadata({ searchParams }: Props): Promise<Metadata> {
  const { page } = readDirectoryQuery(await searchParams);
  const canonical = page > 1 ? `/vendors?page=${page}` : "/vendors";
  return { ...sitePages["/vendors"], alternates: { canonical } };
}

function NoResults({ query }: { query: DirectoryQuery }) {
  const isFiltered = query.q !== "" || query.category !== null || query.status !== null;
  if (!isFiltered) {
    return (
      <Notice tone="empty" title="No vendors yet.">
        They appear here once the operator of this server <Link href="/docs/operating-vendors">adds them</Link>. An
        account can <Link href="/docs/custom-vendors">track vendors of its own</Link>, which only its keys see.
      </Notice>
    );
  }
  return (
    <Notice tone="empty" title="No matching vendors.">
      <a href="/vendors">Show all vendors</a>, or search for a shorter part of a name or domain.
    </Notice>
  );
}

/** Number of days that the sparkline covers. */
const sparklineDays = 90;

/** Sizes of the sparkline, in pixels. A change without a report is half as high as one of significance 1. */
const height = 28;
const pixelsPerLevel = 5;
const toLevel = (significance: number | null) => significance ?? 0.5;

function describeChanges(changes: readonly VendorChange[]): string {
  const known = changes.flatMap(({ significance }) => significance ?? []);
  const range = known.length > 0 ? `, significance up to ${Math.max(...known)}` : "";
  return `${formatCount(changes.length, "change")} since ${formatDay(changes.at(-1)?.at ?? new Date(0))}${range}`;
}

/** A vendor's recent changes as a small chart: each is a tick, whose height shows the significance. */
function ChangeSparkline({ changes, now }: { changes: readonly VendorChange[]; now: Date }) {
  const from = new Date(now.getTime() - sparklineDays * dayMs);
  const toX = timeScale(from, now);
  const shown = changes.filter(({ at }) => at >= from);
  const label = shown.length > 0 ? describeChanges(shown) : `No changes in ${sparklineDays} days`;
  return (
    <svg role="img" aria-label={label} className={styles.sparkline} width="160" height={height}>
      <line className={styles.line} x1="0" x2="100%" y1={height - 1} y2={height - 1} />
      {shown.map(({ id, at, significance }) => {
        const x = toX(at);
        return <line key={id} x1={x} x2={x} y1={height - 1} y2={height - 1 - toLevel(significance) * pixelsPerLevel} />;
      })}
    </svg>
  );
}

function LatestChange({ vendor, now }: { vendor: DirectoryVendor; now: Date }) {
  const [latest] = vendor.changes;
  if (!latest) return <span className="muted">none yet</span>;
  return (
    <>
      <Link href={`/vendors/${vendor.slug}/diffs/${latest.id}`}>
        <RelativeTime at={latest.at} now={now} />
      </Link>{" "}
      <span className="mono muted">{formatShortChanges(latest)}</span>
    </>
  );
}

function LastFetch({ vendor: { isSample, lastFetchedAt }, now }: { vendor: DirectoryVendor; now: Date }) {
  if (isSample) return "sample";
  return lastFetchedAt ? <RelativeTime at={lastFetchedAt} now={now} /> : "never";
}

/** A page of the directory. */
function DirectoryTable({ vendors, now }: { vendors: readonly DirectoryVendor[]; now: Date }) {
  const columns: readonly Column<DirectoryVendor>[] = [
    {
      title: "Vendor",
      width: 20,
      cell: ({ slug, name, domain }) => (
        <>
          <Link href={`/vendors/${slug}`}>{name}</Link>
          <span className={`${styles.domain} caption`}>{domain}</span>
        </>
      ),
    },
    { title: "Category", width: 12, isMinor: true, cell: ({ category }) => category },
    {
      title: "Status",
      width: 11,
      cell: ({ status, byteSize }) => <VendorStatusBadge status={status} hasVersion={byteSize !== null} />,
    },
    {
      title: `Changes, ${sparklineDays} days`,
      width: 18,
      isMinor: true,
      cell: ({ changes }) => <ChangeSparkline changes={changes} now={now} />,
    },
    { title: "Latest change", width: 17, cell: (vendor) => <LatestChange vendor={vendor} now={now} /> },
    {
      title: "Size",
      width: 10,
      isNumber: true,
      isMinor: true,
      cell: ({ byteSize }) => (byteSize === null ? "–" : formatBytes(byteSize)),
    },
    { title: "Last fetch", width: 12, isNumber: true, cell: (vendor) => <LastFetch vendor={vendor} now={now} /> },
  ];
  return <DataTable caption="Vendors" columns={columns} items={vendors} keyOf={({ slug }) => slug} stacks />;
}

function Results({ directory, query, now }: { directory: Directory; query: DirectoryQuery; now: Date }) {
  const { vendors, count, page, pageCount } = directory;
  const first = (page - 1) * directoryPageSize + 1;
  return (
    <>
      <p role="status" className={`${styles.count} caption`}>
        {formatCount(count, "vendor")}
        {query.q && <> for “{query.q}”</>}
      </p>
      {vendors.length === 0 ? <NoResults query={query} /> : <DirectoryTable vendors={vendors} now={now} />}
      <NumberedPages
        label="Vendors"
        page={page}
        pageCount={pageCount}
        hrefOf={(number) => directoryHref({ ...query, page: number })}
      >
        {first}–{first + vendors.length - 1} of {count.toLocaleString("en")}
      </NumberedPages>
    </>
  );
}

export default async function VendorsPage({ searchParams }: Props) {
  const context = await getPageContext();
  const query = readDirectoryQuery(await searchParams);
  const result = await loadPageData(() =>
    Promise.all([listDirectory(context, { query }), getStats(context), getVendorFacts(context)]),
  );
  const lead = "The llms.txt files that vendors publish for models, with every change.";
  if (!("data" in result))
    return <LoadFailure error={result.error} page="Vendors" lead={lead} title="Couldn’t load the vendors." />;
  const [directory, stats, { unfetched }] = result.data;
  return (
    <>
      <PageHeader title="Vendors" lead={lead}>
        <Facts>
          {formatCount(stats.vendors - unfetched, "active vendor")}
          {unfetched > 0 && `${unfetched.toLocaleString("en")} not fetched yet`}
          {formatCount(stats.snapshots, "version")}
          <Link href="/changes">{formatCount(stats.diffs, "change")}</Link>
          {mailSettings() && <Link href="/follow">follow by e-mail</Link>}
        </Facts>
      </PageHeader>
      <FetchingNotice context={context} />
      <InvalidFilters messages={[...query.invalid, ...describeBeyond(query.page, directory.pageCount)]} />
      <DirectoryFilters query={query} />
      <Results directory={directory} query={query} now={context.clock.now()} />
    </>
  );
}
