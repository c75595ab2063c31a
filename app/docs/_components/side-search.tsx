"use client";

import { usePathname } from "next/navigation";
import { SearchForm } from "./search-form";

/** The search form beside the docs. The results page has its own, because a layout does not know the query. */
export function SideSearch() {
  return usePathname() === "/docs/search-results" ? null : <SearchForm />;
}
