import type { Metadata } from "next";
import { noWordsHint, type SearchAnswer, search } from "#lib/discovery/search/index";
import { AppError } from "#lib/platform/errors";
import { Link } from "../../_components/link";
import { orAppError } from "../../_components/load-data";
import { getPageContext } from "../../_components/page-context";
import { Notice, PageHeader } from "../../_components/page-parts";
import { kindName } from "../../_components/search/kind-name";
import { SearchForm } from "../_components/search-form";

export const metadata: Metadata = { title: "Search results", robots: { index: false, follow: true } };

type Props = { searchParams: Promise<{ q?: string | string[] }> };

const limit = 30;
/** Longer queries are cut, in characters. */
const maxQueryLength = 200;

function Hits({ q, response }: { q: string; response: SearchAnswer }) {
  if (response.hint === noWordsHint) return <Notice tone="empty">{noWordsHint}</Notice>;
  if (response.count === 0) {
    return (
      <Notice tone="empty" title="No results.">
        Try fewer or more general words, in English. Common words such as “the” are ignored. Or browse the{" "}
        <Link href="/docs">docs</Link>, the <Link href="/replay">cassettes</Link>, and{" "}
        <Link href={`/vendors?${new URLSearchParams({ q })}`}>search all vendors</Link> by a part of their name.
      </Notice>
    );
  }
  return (
    <ol className="stack text plain-list">
      {response.hits.map(({ id, kind, title, url, snippet }) => {
        const { pathname } = new URL(url);
        return (
          <li key={id}>
            <h2 className="minor">
              <Link href={pathname}>{title}</Link>
            </h2>
            <p className="caption">
              {kindName(kind)} · {pathname}
            </p>
            <p>{snippet}</p>
          </li>
        );
      })}
    </ol>
  );
}

function describeResults(q: string, response: SearchAnswer | AppError | null): string {
  if (response === null) return "Type your query into the search field.";
  if (response instanceof AppError) return `Couldn’t search for “${q}”.`;
  const results = response.count === 1 ? "1 result" : `${response.count} results`;
  return `${results} for “${q}” in ${response.corpus_size} cassettes, pages, vendors and models.`;
}

export default async function SearchResultsPage({ searchParams }: Props) {
  const { q: query } = await searchParams;
  const q = (typeof query === "string" ? query : "").trim().slice(0, maxQueryLength);
  const context = await getPageContext();
  const response = q === "" ? null : await orAppError(() => search(context, { q, limit }));
  return (
    <article>
      <PageHeader above="Docs" title="Search" lead={describeResults(q, response)}>
        <div className="text">
          <SearchForm key={q} q={q} />
        </div>
      </PageHeader>
      {response instanceof AppError && (
        <Notice tone="error" title="Search isn’t available right now.">
          {response.message}
        </Notice>
      )}
      {response && !(response instanceof AppError) && <Hits q={q} response={response} />}
    </article>
  );
}
