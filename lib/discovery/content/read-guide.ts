import { pageText } from "#lib/contract/text-page";
import { AppError } from "#lib/platform/errors";
import { loadPages, type Page, pageMarkdown, pagePath } from "./pages";

/** Most pages that are proposed in the place of one that is not there. */
const maxNearCount = 3;

/** Pairs of neighbouring letters and digits: what is left of a word with a typo in it. */
function pairsOf(text: string): Set<string> {
  const plain = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, " ");
  return new Set(plain.split(" ").flatMap((word) => [...word].map((letter, at) => letter + (word[at + 1] ?? ""))));
}

/** Dice's coefficient of the pairs, 0 to 1. */
function likeness(a: Set<string>, b: Set<string>): number {
  const shared = [...a].filter((pair) => b.has(pair)).length;
  return (2 * shared) / (a.size + b.size || 1);
}

/** The pages whose slug or title is most like a name, the likest first. */
export function nearPages(pages: readonly Page[], name: string): Page[] {
  const wanted = pairsOf(name);
  const scoreOf = ({ slug, title }: Page) =>
    Math.max(likeness(wanted, pairsOf(slug)), likeness(wanted, pairsOf(title)));
  const scored = pages.map((page) => ({ page, score: scoreOf(page) })).filter(({ score }) => score > 0);
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, maxNearCount)
    .map(({ page }) => page);
}

/** What a guide is called: its slug, and `index` for the overview. */
export function guideName({ slug }: Pick<Page, "slug">): string {
  return slug || "index";
}

/** The guide that somebody means who writes its path or address. */
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
  const near = nearPages(pages, name).map(guideName);
  const hint = near.length > 0 ? ` Near it: ${near.join(", ")}.` : "";
  throw new AppError("not_found", `There is no guide ${name}.${hint} Call get_guide without arguments for the list.`);
}

type GuideInput = {
  guide: string;
  /** Where to go on; null: from the beginning. */
  cursor: string | null;
  /** Most characters of the part. */
  maxLength: number;
};

/** One part of a guide. Throws AppError not_found, which names guides near it, and bad_request for a broken cursor. */
export async function readGuide({ origin }: { origin: string }, { guide, cursor, maxLength }: GuideInput) {
  const page = await findGuide(guide);
  const { text, nextCursor } = pageText(pageMarkdown(page), { cursor, maxLength });
  const url = `${origin}${pagePath(page)}`;
  return { guide: guideName(page), title: page.title, url, markdown: text, next_cursor: nextCursor };
}
