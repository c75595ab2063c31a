import type { Nodes, Root } from "hast";
import rehypeSanitize from "rehype-sanitize";
import rehypeSlug from "rehype-slug";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";
import type { Page } from "./load-pages";

/** A heading of a page, for its table of contents. */
export type Heading = { id: string; text: string };

function textOf(node: Nodes): string {
  if (node.type === "text") return node.value;
  return "children" in node ? node.children.map(textOf).join("") : "";
}

const scrollable = new Set(["pre", "table"]);

/** Collects second-level headings, and makes wide blocks reachable by keyboard, which can scroll sideways. */
function inspect(headings: Heading[]) {
  return () => (tree: Root) => {
    const visit = (node: Nodes): void => {
      if (node.type === "element" && node.tagName === "h2") {
        headings.push({ id: String(node.properties.id), text: textOf(node) });
      }
      if (node.type === "element" && scrollable.has(node.tagName))
        node.properties = { ...node.properties, tabIndex: 0 };
      if ("children" in node) for (const child of node.children) visit(child);
    };
    visit(tree);
  };
}

export type RenderedPage = { tree: Root; headings: Heading[] };

/** A page's markdown as a safe HTML tree. The sanitizer runs before ids are added, so that no page can choose its own. */
export async function renderPage({ markdown }: Pick<Page, "markdown">): Promise<RenderedPage> {
  const headings: Heading[] = [];
  const pipeline = unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(remarkRehype)
    .use(rehypeSanitize)
    .use(rehypeSlug)
    .use(inspect(headings));
  const tree = await pipeline.run(pipeline.parse(markdown));
  return { tree, headings };
}
