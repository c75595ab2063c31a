import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { textWithOrigin } from "#lib/contract/example-origin";
import { describeIssue } from "#lib/platform/describe-issue";
import { pageSlug } from "./page-slug";

/** Sections of the docs, in navigation order. */
const sections = ["Start", "Test", "Vendor tracking", "Replay", "Reference", "Operations", "Decisions"] as const;

/** Front matter of a page in content/docs. */
const frontMatterSchema = z.strictObject({
  title: z.string().min(1).max(80),
  description: z.string().min(1).max(200),
  section: z.enum(sections).default("Reference"),
  /** Position in the section; pages without one come last, by title. */
  order: z.int().min(0).optional(),
});

/** A page of content/docs: the source of the rendered page, its raw markdown and the site documents. */
export type Page = z.infer<typeof frontMatterSchema> & {
  /** Path under /docs without a leading slash; empty for the overview. */
  slug: string;
  /** Markdown without its front matter. */
  markdown: string;
};

const folder = join(process.cwd(), "content/docs");
/** Most pages that are loaded. */
const maxPageCount = 500;

function parsePage(path: string, text: string): Page {
  const match = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text.replaceAll("\r\n", "\n"));
  if (!match) throw new Error(`content/docs/${path} has no front matter`);
  const result = frontMatterSchema.safeParse(parse(match[1] as string));
  if (!result.success) throw new Error(`content/docs/${path}: ${describeIssue(result.error, "the front matter")}`);
  return { ...result.data, slug: pageSlug(path), markdown: (match[2] as string).trim() };
}

function inOrder(a: Page, b: Page): number {
  const bySection = sections.indexOf(a.section) - sections.indexOf(b.section);
  return bySection || (a.order ?? 1000) - (b.order ?? 1000) || a.title.localeCompare(b.title, "en");
}

let loading: Promise<Page[]> | undefined;

async function readPages(): Promise<Page[]> {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith(".md"));
  const pages = paths
    .slice(0, maxPageCount)
    .map(async (path) => parsePage(path, await readFile(join(folder, path), "utf8")));
  return (await Promise.all(pages)).sort(inOrder);
}

/** Returns all pages in navigation order. They are read once per process; `isFresh` reads them again. */
export function loadPages({ isFresh = false } = {}): Promise<Page[]> {
  if (isFresh || !loading) loading = readPages();
  return loading;
}

/** Returns a page by its path under /docs. */
export async function findPage(slug: string): Promise<Page | undefined> {
  return (await loadPages()).find((page) => page.slug === slug);
}

type Slugged = Pick<Page, "slug">;

/** Returns the path of the rendered page. */
export function pagePath({ slug }: Slugged): string {
  return slug ? `/docs/${slug}` : "/docs";
}

/** Returns the path of a page's markdown; that of the overview is `/docs/index.md`. */
export function rawPagePath({ slug }: Slugged): string {
  return `/docs/${slug || "index"}.md`;
}

/**
 * Returns the whole page as markdown, as used by `/docs/<page>.md` and over MCP. Its examples use the origin of the request.
 * Keep it only by origin.
 */
export function pageMarkdown({ title, description, markdown }: Page, { origin }: { origin: string }): string {
  return textWithOrigin(`# ${title}\n\n${description}\n\n${markdown}\n`, origin);
}

export type DocsLink = { href: string; title: string };
type DocsSection = { title: Page["section"]; links: DocsLink[] };

function toLink(page: Page): DocsLink {
  return { href: pagePath(page), title: page.title };
}

/** Returns the sections of the docs with their pages, in navigation order. */
export async function listDocsSections(): Promise<DocsSection[]> {
  const pages = await loadPages();
  const titles = [...new Set(pages.map(({ section }) => section))];
  return titles.map((title) => ({ title, links: pages.filter(({ section }) => section === title).map(toLink) }));
}

/** Returns the pages before and after a page, in navigation order. */
export async function findNeighbours({ slug }: Pick<Page, "slug">) {
  const pages = await loadPages();
  const index = pages.findIndex((page) => page.slug === slug);
  const [previous, next] = [pages[index - 1], pages[index + 1]];
  return { previous: previous && toLink(previous), next: next && toLink(next) };
}
