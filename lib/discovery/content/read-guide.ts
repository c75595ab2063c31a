import { pageText } from "#lib/contract/text-page";
import { AppError } from "#lib/platform/errors";
import { loadPages, type Page } from "./load-pages";
import { nearPages } from "./near-pages";
import { pageMarkdown, pagePath } from "./page-markdown";

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
