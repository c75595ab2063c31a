import { type CassetteFeature, type CassetteSummary, cassetteFeatures, verticals } from "#lib/replay/cassettes/index";

/** The gallery's filters and their values; the first value of each is `all`. */
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

/** Parses the filters in a URL. Missing or unknown values are `all`, except for the vertical, which is the site's own. */
export function parseFilters(query: Query, siteVertical: Filters["vertical"]): Filters {
  const chosen = filterNames.map((name) => {
    const value = filterValues[name].find((one) => one === query[name]);
    return [name, value ?? (name === "vertical" ? siteVertical : "all")];
  });
  return Object.fromEntries(chosen) as Filters;
}

/** Whether a cassette matches the filters. */
export function matchesFilters({ vertical, end, features, provenance }: CassetteSummary, filters: Filters): boolean {
  const { feature } = filters;
  return (
    (filters.vertical === "all" || filters.vertical === vertical) &&
    (filters.end === "all" || filters.end === end) &&
    (feature === "all" || features.includes(feature satisfies CassetteFeature)) &&
    (filters.provenance === "all" || filters.provenance === provenance.kind)
  );
}

/** Returns the gallery's URL path for these filters; pages start at 1. */
export function galleryPath(filters: Filters, page = 1): string {
  const query = new URLSearchParams(filters);
  if (page > 1) query.set("page", String(page));
  return `/replay?${query}`;
}
