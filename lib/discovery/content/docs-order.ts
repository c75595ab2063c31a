import { loadPages, type Page } from "./load-pages";
import { pagePath } from "./page-markdown";

export type DocsLink = { href: string; title: string };
export type DocsSection = { title: Page["section"]; links: DocsLink[] };

function toLink(page: Page): DocsLink {
  return { href: pagePath(page), title: page.title };
}

/** The sections of the docs with their pages, in the navigation's order. */
export async function listDocsSections(): Promise<DocsSection[]> {
  const pages = await loadPages();
  const titles = [...new Set(pages.map(({ section }) => section))];
  return titles.map((title) => ({ title, links: pages.filter(({ section }) => section === title).map(toLink) }));
}

/** The pages before and after one, in the navigation's order. */
export async function findNeighbours({ slug }: Pick<Page, "slug">) {
  const pages = await loadPages();
  const at = pages.findIndex((page) => page.slug === slug);
  const [previous, next] = [pages[at - 1], pages[at + 1]];
  return { previous: previous && toLink(previous), next: next && toLink(next) };
}
