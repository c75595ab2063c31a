import type { Metadata } from "next";
import {
  type Directory,
  type DirectoryQuery,
  directoryHref,
  directoryPageSize,
  getStats,
  getVendorFacts,
  listDirectory,
  maxSearchLength,
  type PageParameters,
  readDirectoryQuery,
  vendorCategories,
  vendorStatuses,
} from "#lib/tracking/vendors/index";
import { Button } from "../_components/button";
import { FetchingNotice } from "../_components/fetching-notice";
import { InputField, SelectField } from "../_components/field";
import { Link } from "../_components/link";
import { loadPageData } from "../_components/load-data";
import { LoadFailure } from "../_components/load-failure";
import { Notice } from "../_components/notice";
import { getPageContext } from "../_components/page-context";
import { PageHeader } from "../_components/page-header";
import { NumberedPages } from "../_components/pagination";
import { AutoSubmitForm } from "./_components/auto-submit-form";
import { DirectoryTable } from "./_components/directory-table";
import { formatCount } from "./_components/format-counts";
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
      <SelectField
        id="filter-category"
        name="category"
        label="Category"
        defaultValue={category ?? ""}
        choices={[["", "all categories"], ...vendorCategories]}
      />
      <SelectField
        id="filter-status"
        name="status"
        label="Status"
        defaultValue={status ?? ""}
        choices={[["", "any status"], ...vendorStatuses]}
      />
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

const description = "Browse the tracked vendors: what each one publishes in its llms.txt file, and when it changed.";

type Props = { searchParams: Promise<PageParameters> };

export async function generateMetadata({ searchParams }: Props): Promise<Metadata> {
  const { page } = readDirectoryQuery(await searchParams);
  const canonical = page > 1 ? `/vendors?page=${page}` : "/vendors";
  return { title: "Vendors", description, alternates: { canonical } };
}

function NoResults({ query }: { query: DirectoryQuery }) {
  const isFiltered = query.q !== "" || query.category !== null || query.status !== null;
  if (!isFiltered) {
    return (
      <Notice tone="empty" title="No vendors yet.">
        <p>
          Load the catalogue with <code>npm run tapedeck -- seed</code>, or{" "}
          <Link href="/docs/operating-vendors">add a vendor</Link>.
        </p>
      </Notice>
    );
  }
  return (
    <Notice tone="empty" title="No matching vendors.">
      <p>
        <a href="/vendors">Show all vendors</a>, or search for a shorter part of a name or domain.
      </p>
    </Notice>
  );
}

function Results({ directory, query, now }: { directory: Directory; query: DirectoryQuery; now: Date }) {
  const { vendors, count, page, pageCount } = directory;
  const first = (page - 1) * directoryPageSize + 1;
  return (
    <>
      <p role="status" className={styles.count}>
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
  if (!("data" in result)) {
    const header = <PageHeader title="Vendors" lead={lead} />;
    return <LoadFailure error={result.error} header={header} title="Couldn’t load the vendors." />;
  }
  const [directory, stats, { unfetched }] = result.data;
  return (
    <>
      <PageHeader
        title="Vendors"
        lead={lead}
        facts={[
          formatCount(stats.vendors - unfetched, "vendor"),
          ...(unfetched > 0 ? [`${unfetched.toLocaleString("en")} not fetched yet`] : []),
          formatCount(stats.snapshots, "version"),
          <Link key="changes" href="/changes">
            {formatCount(stats.diffs, "change")}
          </Link>,
        ]}
      />
      <div className={styles.notice}>
        <FetchingNotice context={context} />
      </div>
      <DirectoryFilters query={query} />
      <Results directory={directory} query={query} now={context.clock.now()} />
    </>
  );
}
