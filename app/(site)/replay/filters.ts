import * as z from "zod";
import { type PageParameters, pageNumberSchema, readPageFilters } from "#lib/contract/query-schemas";
import { type CassetteFeature, type CassetteSummary, cassetteFeatures, verticals } from "#lib/replay/cassettes/index";
import { providerNames } from "#lib/replay/providers/index";

/** The gallery's filters and their values; the first value of each is `all`. */
const filterValues = {
  vertical: ["all", ...verticals],
  protocol: ["all", ...providerNames],
  end: ["all", "complete", "error", "truncated"],
  feature: ["all", ...cassetteFeatures],
  provenance: ["all", "recorded", "imported", "authored"],
} as const;

export type FilterName = keyof typeof filterValues;
/** The vertical can also be another folder of the store. */
export type Filters = { [Name in Exclude<FilterName, "vertical">]: (typeof filterValues)[Name][number] } & {
  vertical: string;
};
export const filterNames = Object.keys(filterValues) as FilterName[];

const shape = {
  protocol: z.enum(filterValues.protocol),
  end: z.enum(filterValues.end),
  feature: z.enum(filterValues.feature),
  provenance: z.enum(filterValues.provenance),
  page: pageNumberSchema,
};

/** Returns the values of a filter; a vertical can also be one of the other folders of the store. */
export function valuesOf(name: FilterName, folders: readonly string[]): readonly string[] {
  return name === "vertical" ? [...filterValues.vertical, ...folders] : filterValues[name];
}

/**
 * Parses the filters and the page in a URL. Missing and invalid values are `all`, except for the vertical, which is the
 * given one. `invalid` has a sentence on each invalid one.
 */
export function parseFilters(given: PageParameters, opening: string, folders: readonly string[] = []) {
  const vertical = z.enum(valuesOf("vertical", folders));
  const { filters: read, invalid } = readPageFilters({ vertical, ...shape }, given);
  const { page = 1, ...filters } = read;
  const all: Filters = { vertical: opening, protocol: "all", end: "all", feature: "all", provenance: "all" };
  return { filters: { ...all, ...filters }, page, invalid };
}

/** Whether a cassette matches the filters. */
export function matchesFilters(summary: CassetteSummary, filters: Filters): boolean {
  const { vertical, provider, end, features, provenance } = summary;
  const { feature } = filters;
  return (
    (filters.vertical === "all" || filters.vertical === vertical) &&
    (filters.protocol === "all" || filters.protocol === provider) &&
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
