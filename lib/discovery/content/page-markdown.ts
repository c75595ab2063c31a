import type { Page } from "./load-pages";

type Slugged = Pick<Page, "slug">;

/** Path of the rendered page. */
export function pagePath({ slug }: Slugged): string {
  return slug ? `/docs/${slug}` : "/docs";
}

/** Path of the page's markdown: the overview's is `/docs/index.md`. */
export function rawPagePath({ slug }: Slugged): string {
  return `/docs/${slug || "index"}.md`;
}

/** The whole page as markdown: what `/docs/<page>.md`, `/llms-full.txt` and the MCP tool give. */
export function pageMarkdown({ title, description, markdown }: Page): string {
  return `# ${title}\n\n${description}\n\n${markdown}\n`;
}
