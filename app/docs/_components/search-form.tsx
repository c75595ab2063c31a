"use client";

import { usePathname } from "next/navigation";
import { Button } from "../../_components/button";
import styles from "../docs.module.css";

const path = "/docs/search-results";

/** A search form that needs no JavaScript, beside the docs and on the results page, where it holds the query. */
export function SearchForm({ q }: { q?: string }) {
  return (
    <search>
      <form action={path} className={styles.search}>
        <label htmlFor="docs-search" className="visually-hidden">
          Search docs, cassettes, vendors and models
        </label>
        <input
          id="docs-search"
          name="q"
          type="search"
          defaultValue={q}
          placeholder="Search"
          required
          maxLength={200}
          autoComplete="off"
        />
        <Button type="submit" variant="quiet">
          Go
        </Button>
      </form>
    </search>
  );
}

/** The search form beside the docs. The results page has its own, because a layout does not know the query. */
export function SideSearch() {
  return usePathname() === path ? null : <SearchForm />;
}
