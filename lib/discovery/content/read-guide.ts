import { pageText } from "#lib/contract/text-page";
import { AppError } from "#lib/platform/errors";
import { loadPages, type Page, pageMarkdown, pagePath } from "./pages";

/** Most suggestions for an unknown guide. */
const maxSuggestionCount = 3;

/** Returns the bigrams of letters and digits in a text. */
function bigramsOf(text: string): Set<string> {
  const plain = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, " ");
  return new Set(plain.split(" ").flatMap((word) => [...word].map((letter, at) => letter + (word[at + 1] ?? ""))));
}

/** Returns the Sørensen–Dice coefficient of two sets of bigrams, 0 to 1. */
function similarity(a: Set<string>, b: Set<string>): number {
  const shared = [...a].filter((pair) => b.has(pair)).length;
  return (2 * shared) / (a.size + b.size || 1);
}

/** Returns the pages whose slug or title is most similar to a name, most similar first. */
function findSimilarPages(pages: readonly Page[], name: string): Page[] {
  const wanted = bigramsOf(name);
  const scoreOf = ({ slug, title }: Page) =>
    Math.max(similarity(wanted, bigramsOf(slug)), similarity(wanted, bigramsOf(title)));
  const scored = pages.map((page) => ({ page, score: scoreOf(page) })).filter(({ score }) => score > 0);
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, maxSuggestionCount)
    .map(({ page }) => page);
}

/** Returns the name of a guide: its slug, or `index` for the overview. */
export function guideName({ slug }: Pick<Page, "slug">): string {
  return slug || "index";
}

/** Returns the guide name for a name, path or URL. */
function normalise(name: string): string {
  const slug = name
    .trim()
    .toLowerCase()
    .replace(/^(?:.*\/)?docs(?:\/|$)/, "")
    .replace(/[?#].*$/, "")
    .replace(/\.md$/, "");
  return slug || "index";
}

async function findGuide(name: string): Promise<Page> {
  const pages = await loadPages();
  const page = pages.find((candidate) => guideName(candidate) === normalise(name));
  if (page) return page;
  const similar = findSimilarPages(pages, name).map(guideName);
  const hint = similar.length > 0 ? ` Similar names: ${similar.join(", ")}.` : "";
  throw new AppError("not_found", `There is no guide ${name}.${hint} Call get_guide without arguments for the list.`);
}

type GuideInput = {
  guide: string;
  /** Where to continue; null for the first page. */
  cursor: string | null;
  /** Most characters of a page. */
  maxLength: number;
};

/** Returns one page of a guide. Throws AppError not_found with similar names, and invalid_cursor. */
export async function readGuide({ origin }: { origin: string }, { guide, cursor, maxLength }: GuideInput) {
  const page = await findGuide(guide);
  const { text, nextCursor } = pageText(pageMarkdown(page, { origin }), { cursor, maxLength });
  const url = `${origin}${pagePath(page)}`;
  return { guide: guideName(page), title: page.title, url, markdown: text, next_cursor: nextCursor };
}
