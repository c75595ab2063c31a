import rehypeSanitize from "rehype-sanitize";
import rehypeSlug from "rehype-slug";
import rehypeStringify from "rehype-stringify";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";
import type { Page } from "./load-pages";

/** A heading of a page, for its table of contents. */
export type Heading = { id: string; text: string };

type Node = { type: string; tagName?: string; value?: string; properties?: Record<string, unknown>; children?: Node[] };

function textOf(node: Node): string {
  return node.value ?? (node.children ?? []).map(textOf).join("");
}

/** Collects second-level headings, and makes wide blocks reachable by keyboard, which can scroll sideways. */
function inspect(headings: Heading[]) {
  return () => (tree: Node) => {
    const visit = (node: Node): void => {
      if (node.tagName === "h2") headings.push({ id: String(node.properties?.id), text: textOf(node) });
      if (node.tagName === "pre") node.properties = { ...node.properties, tabIndex: 0 };
      for (const child of node.children ?? []) visit(child);
    };
    visit(tree);
  };
}

/** A page's markdown as safe HTML. The sanitizer runs before ids are added, so that no page can choose its own. */
export async function renderPage({ markdown }: Pick<Page, "markdown">): Promise<{ html: string; headings: Heading[] }> {
  const headings: Heading[] = [];
  const file = await unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(remarkRehype)
    .use(rehypeSanitize)
    .use(rehypeSlug)
    .use(inspect(headings) as never)
    .use(rehypeStringify)
    .process(markdown);
  return { html: String(file), headings };
}
