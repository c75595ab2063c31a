import { blockedScore } from "#lib/contract/blocked-content";
import { formatCount } from "#lib/platform/format-count";
import type { DiffPage } from "#lib/tracking/diffs/index";
import { CodeBlock } from "../../_components/code-block";
import { Link } from "../../_components/link";
import { Notice } from "../../_components/page-parts";
import { NumberedPages } from "../../_components/pagination";
import styles from "./diff-text.module.css";
import { Hunks, type HunkView } from "./hunks";

/** Returns the URL of a page of hunks in a view. The path may have a query. */
function buildUrl(path: string, view: HunkView, page: number): string {
  const parameters = new URLSearchParams({
    ...(view === "split" && { view }),
    ...(page > 1 && { hunks: String(page) }),
  });
  if (parameters.size === 0) return path;
  return `${path}${path.includes("?") ? "&" : "?"}${parameters}`;
}

const views = [
  ["unified", "Unified"],
  ["split", "Side by side"],
] as const;

type Props = { text: NonNullable<DiffPage["text"]>; view: HunkView; path: string };

/** The changed lines of a diff, in pages. */
export function DiffText({ text, view, path }: Props) {
  const { hunks, page, pageCount, hunkCount, lineCount } = text;
  const pages = (label: string) => (
    <NumberedPages label={label} page={page} pageCount={pageCount} hrefOf={(number) => buildUrl(path, view, number)} />
  );
  return (
    <>
      <div className="row spread caption">
        <nav aria-label="View of the changed lines" className={`${styles.views} ${styles[view]}`}>
          {views.map(([name, title]) => (
            <Link
              key={name}
              href={buildUrl(path, name, page)}
              aria-current={name === view ? "true" : undefined}
              scroll={false}
            >
              {title}
            </Link>
          ))}
        </nav>
        <p>
          {formatCount(hunkCount, "hunk")}, {formatCount(lineCount, "line")} with context. Line numbers are links: arrow
          keys move between them.
        </p>
      </div>
      {page > 1 && pages("Changed lines, top")}
      <Hunks hunks={hunks} view={view} />
      {pages("Changed lines")}
    </>
  );
}

/** Says how to get a text that the site does not show. `text` names it in the plural; the API has it at `url`. */
export function KeyNotice({ text, url }: { text: string; url: string }) {
  const command = `curl -H "Authorization: Bearer $KEY" "${url}"`;
  return (
    <>
      <Notice title={`You need a key to see ${text}.`}>
        The site only shows {text} of public vendors. For this vendor, get them from the API with a{" "}
        <Link href="/pricing">starter key</Link>.
      </Notice>
      <CodeBlock code={command} label={`command for ${text}`} wrap />
    </>
  );
}

type WarningProps = {
  /** Security scores of the two versions. */
  olderScore: number;
  newerScore: number;
  /** Whether the page shows the changed lines. */
  isShown: boolean;
};

/** Warns of a diff with text that seems to be written to models. */
export function DiffWarning({ olderScore, newerScore, isShown }: WarningProps) {
  const [isOlder, isNewer] = [olderScore >= blockedScore, newerScore >= blockedScore];
  if (!isOlder && !isNewer) return null;
  const versions = isOlder && isNewer ? "Both versions seem" : `The ${isNewer ? "newer" : "older"} version seems`;
  return (
    <Notice tone="error" title="This text may try to control a model.">
      {versions} to contain instructions for models (prompt injection); the security score is{" "}
      {Math.max(olderScore, newerScore)} of 5. Don’t pass these lines to a model.
      {isShown && " The lines that were found are folded below."}{" "}
      <Link href="/docs/security-score">How scoring works</Link>
    </Notice>
  );
}
