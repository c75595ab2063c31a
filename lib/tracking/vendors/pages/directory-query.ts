import { type VendorCategory, type VendorStatus, vendorCategorySchema, vendorStatusSchema } from "../schemas";

export const directorySorts = ["changed", "name"] as const;
export type DirectorySort = (typeof directorySorts)[number];

/** What the directory's address asks for. */
export type DirectoryQuery = {
  /** Empty: no search. */
  q: string;
  /** Null: all. */
  category: VendorCategory | null;
  status: VendorStatus | null;
  sort: DirectorySort;
  /** Counts from 1. */
  page: number;
};

/** What a page is given of its address; a repeated parameter is a list. */
export type PageParameters = Record<string, string | string[] | undefined>;

/** Longest search, as in the API. */
export const maxSearchLength = 200;
const maxPage = 1_000_000;

function first(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value[0] : value) ?? "";
}

/** The number of a page in an address; whatever is none is the first. */
export function readPageNumber(value: string | string[] | undefined): number {
  const text = first(value);
  return /^[1-9]\d{0,6}$/.test(text) ? Math.min(Number(text), maxPage) : 1;
}

/** Reads the directory's address. People edit addresses: what is not valid filters nothing. */
export function readDirectoryQuery(given: PageParameters): DirectoryQuery {
  return {
    q: first(given.q).replaceAll("\0", "").trim().slice(0, maxSearchLength),
    category: vendorCategorySchema.safeParse(first(given.category)).data ?? null,
    status: vendorStatusSchema.safeParse(first(given.status)).data ?? null,
    sort: directorySorts.find((sort) => sort === first(given.sort)) ?? "changed",
    page: readPageNumber(given.page),
  };
}

/** The address of a directory's page; what is as it is without saying so is left out. */
export function directoryHref({ q, category, status, sort, page }: DirectoryQuery): string {
  const parameters = new URLSearchParams({
    ...(q && { q }),
    ...(category && { category }),
    ...(status && { status }),
    ...(sort !== "changed" && { sort }),
    ...(page > 1 && { page: String(page) }),
  });
  return parameters.size === 0 ? "/vendors" : `/vendors?${parameters}`;
}
