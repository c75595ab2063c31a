import type { Metadata } from "next";
import { cache, Fragment } from "react";
import type { PageParameters } from "#lib/contract/query-schemas";
import { sitePages } from "#lib/discovery/documents/index";
import {
  acceptedFilters,
  type ChangeFilters,
  type ChangePage,
  changesHref,
  listChanges,
  readChangeFilters,
  suggestVendors,
  titleOfFilters,
} from "#lib/tracking/feed/index";
import { intelligenceCategories } from "#lib/tracking/report-categories/index";
import { neverFetched } from "#lib/tracking/vendor-access/index";
import { Button } from "../../_components/button";
import { FilterField, InputField, SelectField } from "../../_components/field";
import { Link } from "../../_components/link";
import { loadPageData } from "../../_components/load-data";
import { LoadFailure } from "../../_components/load-failure";
import { getPageContext } from "../../_components/page-context";
import { Facts, InvalidFilters, Notice, PageHeader } from "../../_components/page-parts";
import { Pagination } from "../../_components/pagination";
import { ChangeList } from "./change-list";
import styles from "./page.module.css";

const significances = [["1", "any"], ["2", "2 and more"], ["3", "3 and more"], ["4", "4 and more"], "5"] as const;

/** The filters of the changes, set from the URL, as a form that works without JavaScript. */
function ChangeFiltersForm({ filters }: { filters: ChangeFilters }) {
  const { vendor, models, category, min_significance: minimum, from, to } = filters;
  return (
    <search aria-label="Changes">
      <form action="/changes" className={styles.filters}>
        <InputField id="filter-vendor" name="vendor" label="Vendors (slugs)" defaultValue={vendor} maxLength={4_000} />
        <InputField id="filter-models" name="models" label="Models (ids)" defaultValue={models} maxLength={4_000} />
        <FilterField
          name="category"
          label="Category"
          any="all categories"
          value={category}
          choices={intelligenceCategories}
        />
        <SelectField
          id="filter-significance"
          name="min_significance"
          label="Significance"
          defaultValue={String(minimum)}
          choices={significances}
        />
        <InputField id="filter-from" type="date" name="from" label="From (UTC)" defaultValue={from} />
        <InputField id="filter-to" type="date" name="to" label="To (UTC)" defaultValue={to} />
        <Button type="submit" variant="primary">
          Filter
        </Button>
      </form>
    </search>
  );
}

export const dynamic = "force-dynamic";

const path = "/changes";
const { title, description } = sitePages[path];
const lead =
  "What vendors changed in their llms.txt files, and what changed of models, the newest first. The bars show significance, from 1 to 5.";

type Props = { searchParams: Promise<PageParameters> };

const load = cache(async (searchParams: Props["searchParams"]) => readChangeFilters(await searchParams));

export async function generateMetadata({ searchParams }: Props): Promise<Metadata> {
  const { filters, invalid, cursor } = await load(searchParams);
  const isWhole = changesHref(path, filters, cursor) === path && invalid.length === 0;
  const linked = acceptedFilters(filters, []);
  const types = {
    "application/atom+xml": changesHref("/feed.xml", linked),
    "application/feed+json": changesHref("/feed.json", linked),
  };
  const alternates = { canonical: path, types };
  return {
    title: `${title}${titleOfFilters(filters)}`,
    description,
    alternates,
    ...(!isWhole && { robots: { index: false } }),
  };
}

type ShownPage = ChangePage & { suggested: Awaited<ReturnType<typeof suggestVendors>> };
type NoChangesProps = Omit<ShownPage, "changes" | "nextCursor"> & { filters: ChangeFilters; isPart: boolean };

const noVendor = (slug: string) => `There is no vendor with the slug “${slug}”.`;

/** Says why there are no changes. `isPart`: the list has filters or a position. */
function NoChanges({ filters, unknownVendors, isVendorUnfetched, suggested, isPart }: NoChangesProps) {
  const { vendor } = filters;
  const [unknown] = unknownVendors;
  if (unknown !== undefined) {
    return (
      <Notice tone="empty" title={noVendor(unknown)}>
        {suggested.length > 0 && (
          <p>
            Show the changes of{" "}
            {suggested.map(({ name, slug }, index) => (
              <Fragment key={slug}>
                {index > 0 && " or "}
                <a href={changesHref(path, { ...filters, vendor: slug })}>{name}</a>
              </Fragment>
            ))}
            .
          </p>
        )}
        The filter takes slugs, each the last part of the address of a vendor’s page, separated by commas.{" "}
        <Link href={`/vendors?${new URLSearchParams({ q: unknown })}`}>Search all vendors</Link> by a part of their
        name, or <a href={path}>show all changes</a>.
      </Notice>
    );
  }
  if (vendor !== undefined && isVendorUnfetched) {
    return (
      <Notice tone="empty" title={neverFetched(vendor)}>
        See <Link href={`/vendors/${vendor}`}>its page</Link>, or <a href={path}>show all changes</a>.
      </Notice>
    );
  }
  return (
    <Notice tone="empty" title={isPart ? "No matching changes." : "No changes yet."}>
      {isPart ? (
        <a href={path}>Show all changes</a>
      ) : (
        "A change appears here after a vendor’s file was fetched twice with different content."
      )}
    </Notice>
  );
}

export default async function ChangesPage({ searchParams }: Props) {
  const context = await getPageContext();
  const { filters, invalid, cursor } = await load(searchParams);
  const result = await loadPageData(async () => {
    const page = await listChanges(context, { filters, cursor });
    return { ...page, suggested: await suggestVendors(context, page.unknownVendors) };
  });
  if (!("data" in result))
    return <LoadFailure error={result.error} page={title} lead={lead} title="Couldn’t load the changes." />;
  const { changes, nextCursor, ...rest } = result.data;
  const { unknownVendors } = rest;
  const isFiltered = changesHref(path, filters) !== path;
  const linked = acceptedFilters(filters, unknownVendors);
  return (
    <>
      <PageHeader title={title} lead={lead}>
        <Facts>
          <a href={changesHref("/feed.xml", linked)}>Atom feed</a>
          <a href={changesHref("/feed.json", linked)}>JSON Feed</a>
          <a href={changesHref("/changes.csv", linked)}>CSV</a>
          <a href={changesHref("/changes.jsonl", linked)}>JSON lines</a>
          {isFiltered &&
            changesHref(path, linked) === changesHref(path, filters) &&
            "feeds and files have these filters too"}
          {isFiltered && <a href={path}>Clear filters</a>}
        </Facts>
      </PageHeader>
      <InvalidFilters messages={[...invalid, ...(changes.length > 0 ? unknownVendors.map(noVendor) : [])]} />
      <ChangeFiltersForm filters={filters} />
      {changes.length > 0 ? (
        <ChangeList changes={changes} />
      ) : (
        <NoChanges {...rest} filters={filters} isPart={isFiltered || cursor !== undefined} />
      )}
      <Pagination
        label="Changes"
        newestHref={cursor && changesHref(path, filters)}
        nextHref={nextCursor && changesHref(path, filters, nextCursor)}
      />
    </>
  );
}
