import * as z from "zod";
import { firstValue, type PageParameters, pageNumberSchema, readPageFilters } from "#lib/contract/query-schemas";
import { type VendorCategory, type VendorStatus, vendorCategorySchema, vendorStatusSchema } from "../schemas";

const directorySorts = ["changed", "name"] as const;
type DirectorySort = (typeof directorySorts)[number];

const directoryFilters = {
  q: z.string(),
  category: vendorCategorySchema,
  status: vendorStatusSchema,
  sort: z.enum(directorySorts),
  page: pageNumberSchema,
};

/** Filters, order and page of the directory, as its URL gives them. */
export type DirectoryQuery = {
  /** Empty: no search. */
  q: string;
  /** Null: all. */
  category: VendorCategory | null;
  status: VendorStatus | null;
  sort: DirectorySort;
  /** Counts from 1. */
  page: number;
  /** A sentence for each filter that is not valid. */
  invalid: string[];
};

/** Longest search text, as in the API. */
export const maxSearchLength = 200;
const maxPage = 1_000_000;

/** Parses a page number; anything invalid is page 1. */
export function readPageNumber(value: string | string[] | undefined): number {
  const text = firstValue(value) ?? "";
  return /^[1-9]\d{0,6}$/.test(text) ? Math.min(Number(text), maxPage) : 1;
}

/** Parses the directory's query. Invalid values are left out, because people edit URLs. */
export function readDirectoryQuery(given: PageParameters): DirectoryQuery {
  const { filters, invalid } = readPageFilters(directoryFilters, given);
  const { category = null, status = null, sort = "changed", page = 1 } = filters;
  const q = (firstValue(given.q) ?? "").replaceAll("\0", "").trim().slice(0, maxSearchLength);
  return { q, category, status, sort, page, invalid };
}

/** Returns the URL of a page of the directory, without parameters that have their default value. */
export function directoryHref({ q, category, status, sort, page }: Omit<DirectoryQuery, "invalid">): string {
  const parameters = new URLSearchParams({
    ...(q && { q }),
    ...(category && { category }),
    ...(status && { status }),
    ...(sort !== "changed" && { sort }),
    ...(page > 1 && { page: String(page) }),
  });
  return parameters.size === 0 ? "/vendors" : `/vendors?${parameters}`;
}
