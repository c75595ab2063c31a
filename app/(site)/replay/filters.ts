import { type CassetteFeature, type CassetteSummary, cassetteFeatures, verticals } from "#lib/replay/cassettes/index";

/** The gallery's filters and their values; the first one of each is `all`. */
export const filterValues = {
  vertical: ["all", ...verticals],
  end: ["all", "complete", "error", "truncated"],
  feature: ["all", ...cassetteFeatures],
  provenance: ["all", "recorded", "imported", "authored"],
} as const;

export type FilterName = keyof typeof filterValues;
export type Filters = { [Name in FilterName]: (typeof filterValues)[Name][number] };
export const filterNames = Object.keys(filterValues) as FilterName[];

type Query = Record<string, string | string[] | undefined>;

/** The filters of an address. What is absent or unknown is `all`, but the vertical, which is the site's own. */
export function parseFilters(query: Query, siteVertical: Filters["vertical"]): Filters {
  const chosen = filterNames.map((name) => {
    const value = filterValues[name].find((one) => one === query[name]);
    return [name, value ?? (name === "vertical" ? siteVertical : "all")];
  });
  return Object.fromEntries(chosen) as Filters;
}

/** Whether a cassette is shown under the filters. */
export function isShown({ vertical, end, features, provenance }: CassetteSummary, filters: Filters): boolean {
  const { feature } = filters;
  return (
    (filters.vertical === "all" || filters.vertical === vertical) &&
    (filters.end === "all" || filters.end === end) &&
    (feature === "all" || features.includes(feature satisfies CassetteFeature)) &&
    (filters.provenance === "all" || filters.provenance === provenance.kind)
  );
}

/** Address of the gallery under these filters; pages count from 1. */
export function galleryPath(filters: Filters, page = 1): string {
  const query = new URLSearchParams(filters);
  if (page > 1) query.set("page", String(page));
  return `/replay?${query}`;
}
