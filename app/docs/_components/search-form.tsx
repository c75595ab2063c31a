import styles from "./search-form.module.css";

/** A search form that needs no JavaScript, beside the docs and on the results page, where it holds the query. */
export function SearchForm({ q }: { q?: string }) {
  return (
    <search>
      <form action="/docs/search-results" className={styles.form}>
        <label htmlFor="docs-search" className="visually-hidden">
          Search docs, cassettes and vendors
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
        <button type="submit">Go</button>
      </form>
    </search>
  );
}
