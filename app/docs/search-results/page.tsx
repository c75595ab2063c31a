import type { Metadata } from "next";
import { type SearchAnswer, search } from "#lib/discovery/search/index";
import { AppError } from "#lib/platform/errors";
import { Link } from "../../_components/link";
import { Notice } from "../../_components/notice";
import { getPageContext } from "../../_components/page-context";
import { PageHeader } from "../../_components/page-header";
import { surfaceName } from "../_components/search/surface-name";
import styles from "./page.module.css";

export const metadata: Metadata = { title: "Search", robots: { index: false, follow: true } };

type Props = { searchParams: Promise<{ q?: string | string[] }> };

const limit = 30;
/** Longest query that is looked at, in characters. */
const maxQueryLength = 200;

async function ask(q: string): Promise<SearchAnswer | AppError> {
  try {
    return await search(await getPageContext(), { q, limit });
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function Hits({ answer }: { answer: SearchAnswer }) {
  if (answer.count === 0) {
    return (
      <Notice tone="empty" title="Nothing has these words.">
        Try fewer or others; common words such as “the” are not searched for.
      </Notice>
    );
  }
  return (
    <ol className={styles.hits}>
      {answer.hits.map(({ id, surface, title, url, snippet }) => (
        <li key={id}>
          <h2>
            <Link href={new URL(url).pathname}>{title}</Link>
          </h2>
          <p className="muted">
            {surfaceName(surface)} · {id}
          </p>
          <p>{snippet}</p>
        </li>
      ))}
    </ol>
  );
}

function leadOf(q: string, answer: SearchAnswer | AppError | null): string {
  if (answer === null) return "Write what you look for into the field, in words.";
  if (answer instanceof AppError) return `“${q}” could not be looked up.`;
  const found = answer.count === 1 ? "1 result" : `${answer.count} results`;
  return `${found} for “${q}” among ${answer.corpus_size} cassettes and pages.`;
}

export default async function SearchResultsPage({ searchParams }: Props) {
  const { q: given } = await searchParams;
  const q = (typeof given === "string" ? given : "").trim().slice(0, maxQueryLength);
  const answer = q === "" ? null : await ask(q);
  return (
    <article>
      <PageHeader above="Docs" title="Search" lead={leadOf(q, answer)} />
      {answer instanceof AppError && (
        <Notice tone="error" title="The search does not answer.">
          {answer.message}
        </Notice>
      )}
      {answer && !(answer instanceof AppError) && <Hits answer={answer} />}
    </article>
  );
}
