import type { Metadata } from "next";
import { cache } from "react";
import { changesHref, listChanges, readChangeFilters } from "#lib/tracking/feed/index";
import type { PageParameters } from "#lib/tracking/vendors/index";
import { loadPageData } from "../../_components/load-data";
import { LoadFailure } from "../../_components/load-failure";
import { Notice } from "../../_components/notice";
import { getPageContext } from "../../_components/page-context";
import { PageHeader } from "../../_components/page-header";
import { Pagination } from "../../_components/pagination";
import { ChangeFiltersForm } from "./change-filters";
import { ChangeList } from "./change-list";
import styles from "./page.module.css";

export const dynamic = "force-dynamic";

const path = "/changes";
const title = "Changes";
const description =
  "What vendors changed in their llms.txt files: every change, the newest first, with its significance.";

type Props = { searchParams: Promise<PageParameters> };

const load = cache(async (searchParams: Props["searchParams"]) => {
  const query = await searchParams;
  const [cursor] = [query.cursor].flat();
  return { filters: readChangeFilters(query), cursor: cursor || undefined };
});

export async function generateMetadata({ searchParams }: Props): Promise<Metadata> {
  const { filters, cursor } = await load(searchParams);
  const isWhole = changesHref(path, filters, cursor) === path;
  const types = {
    "application/atom+xml": changesHref("/feed.xml", filters),
    "application/feed+json": changesHref("/feed.json", filters),
  };
  const alternates = { canonical: path, types };
  return { title, description, alternates, ...(!isWhole && { robots: { index: false } }) };
}

export default async function ChangesPage({ searchParams }: Props) {
  const context = await getPageContext();
  const { filters, cursor } = await load(searchParams);
  const result = await loadPageData(() => listChanges(context, { filters, cursor }));
  const lead =
    "What vendors changed in their llms.txt files, the newest first. The bars show significance, from 1 to 5.";
  if (!("data" in result)) {
    const header = <PageHeader title={title} lead={lead} />;
    return <LoadFailure error={result.error} header={header} title="Couldn’t load the changes." />;
  }
  const { changes, nextCursor } = result.data;
  const isFiltered = changesHref(path, filters) !== path;
  return (
    <>
      <PageHeader
        title={title}
        lead={lead}
        facts={[
          <a key="atom" href={changesHref("/feed.xml", filters)}>
            Atom feed
          </a>,
          <a key="json" href={changesHref("/feed.json", filters)}>
            JSON Feed
          </a>,
          ...(isFiltered
            ? [
                "the feeds have these filters too",
                <a key="all" href={path}>
                  Clear filters
                </a>,
              ]
            : []),
        ]}
      />
      <ChangeFiltersForm filters={filters} />
      <div className={styles.list}>
        {changes.length > 0 ? (
          <ChangeList changes={changes} />
        ) : (
          <Notice tone="empty" title={isFiltered ? "No matching changes." : "No changes yet."}>
            <p>
              {isFiltered || cursor ? (
                <a href={path}>Show all changes</a>
              ) : (
                "A change appears here after a vendor’s file was fetched twice with different content."
              )}
            </p>
          </Notice>
        )}
      </div>
      <Pagination
        label="Changes"
        newestHref={cursor && changesHref(path, filters)}
        nextHref={nextCursor && changesHref(path, filters, nextCursor)}
      />
    </>
  );
}
