import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";
import type { Page } from "./load-pages";
import { pageMarkdown } from "./page-markdown";

const parser = unified().use(remarkParse).use(remarkGfm);

/** What is read of a node of the parsed text, whatever its kind. */
type MarkdownNode = {
  url?: string;
  position?: { start: { offset?: number | undefined }; end: { offset?: number | undefined } } | undefined;
  children?: MarkdownNode[];
};

/** A place in the text where an address stands that begins at the site's root. */
type Place = { start: number; end: number; url: string };

function placesOf({ url, position, children = [] }: MarkdownNode, text: string): Place[] {
  const inside = children.flatMap((child) => placesOf(child, text));
  const [from, to] = [position?.start.offset, position?.end.offset];
  if (url === undefined || !url.startsWith("/") || from === undefined || to === undefined) return inside;
  const start = text.lastIndexOf(url, to);
  return start < from ? inside : [...inside, { start, end: start + url.length, url }];
}

/** A rendered page's address as that of its markdown; anything else as it is. */
function toMarkdownPath(url: string): string {
  const [, page, anchor = ""] = /^\/docs(?:\/([a-z0-9/-]+))?(#.*)?$/.exec(url) ?? [];
  return url.startsWith("/docs") && !/\.\w+(#|$)/.test(url) ? `/docs/${page ?? "index"}.md${anchor}` : url;
}

const placesByPage = new WeakMap<Page, Place[]>();

/** Parsing costs, and pages do not change: once for each. */
function linksOf(page: Page): Place[] {
  const known = placesByPage.get(page);
  if (known) return known;
  const text = pageMarkdown(page);
  const places = placesOf(parser.parse(text), text).sort((a, b) => a.start - b.start);
  placesByPage.set(page, places);
  return places;
}

/**
 * A page's markdown with links that can be followed from anywhere: those that begin at the site's root get its origin,
 * and those to a page lead to its markdown. Code is left as it is.
 */
export function absoluteMarkdown(page: Page, origin: string): string {
  const text = pageMarkdown(page);
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, url } of linksOf(page)) {
    parts.push(text.slice(from, start), origin, toMarkdownPath(url));
    from = end;
  }
  return [...parts, text.slice(from)].join("");
}
