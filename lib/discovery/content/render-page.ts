import type { Nodes, Root } from "hast";
import rehypeSanitize from "rehype-sanitize";
import rehypeSlug from "rehype-slug";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";
import { highlightBlocks, textOf } from "./highlight-blocks";
import type { Page } from "./load-pages";

/** A heading of a page, for its table of contents. */
export type Heading = { id: string; text: string; depth: 2 | 3 };

const depths: Readonly<Record<string, Heading["depth"]>> = { h2: 2, h3: 3 };
const scrollable = new Set(["pre", "table"]);

/** Collects headings, and makes wide blocks reachable by keyboard, which can scroll sideways. */
function inspect(headings: Heading[]) {
  return () => (tree: Root) => {
    const visit = (node: Nodes): void => {
      if (node.type === "element") {
        const depth = depths[node.tagName];
        if (depth) headings.push({ id: String(node.properties.id), text: textOf(node), depth });
        if (scrollable.has(node.tagName)) node.properties = { ...node.properties, tabIndex: 0 };
      }
      if ("children" in node) for (const child of node.children) visit(child);
    };
    visit(tree);
  };
}

export type RenderedPage = { tree: Root; headings: Heading[] };

async function render({ markdown }: Pick<Page, "markdown">): Promise<RenderedPage> {
  const headings: Heading[] = [];
  const pipeline = unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(remarkRehype)
    .use(rehypeSanitize)
    .use(rehypeSlug)
    .use(inspect(headings))
    .use(highlightBlocks);
  const tree = await pipeline.run(pipeline.parse(markdown));
  return { tree, headings };
}

const rendered = new WeakMap<object, Promise<RenderedPage>>();

/**
 * A page's markdown as a safe HTML tree, made once for each page and process. The sanitizer runs before ids and token
 * classes are added, so that no page can choose its own.
 */
export function renderPage(page: Pick<Page, "markdown">): Promise<RenderedPage> {
  const known = rendered.get(page) ?? render(page);
  rendered.set(page, known);
  return known;
}
