import type { Element, ElementContent, Nodes, Root } from "hast";
import rehypeSanitize from "rehype-sanitize";
import rehypeSlug from "rehype-slug";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";
import { textWithOrigin } from "#lib/contract/example-origin";
import { perObject } from "#lib/platform/per-object";
import { type CodeToken, highlightCode } from "./highlight";
import type { Page } from "./pages";

/** A table with this many columns does not fit on a phone. */
const minColumnCount = 4;
/** A cell after the first that is longer is text, which is read as a card; numbers are compared in columns. In characters. */
const maxShortLength = 40;

const elementsIn = (node: Nodes, tagName: string): Element[] =>
  "children" in node
    ? node.children.flatMap((child) =>
        child.type === "element" && child.tagName === tagName ? [child] : elementsIn(child, tagName),
      )
    : [];

/** Marks a table whose rows become cards on narrow screens, and gives each cell the title of its column. */
function stackTable(table: Element, textOf: (node: Nodes) => string): void {
  const titles = elementsIn(table, "th").map(textOf);
  const rows = elementsIn(table, "tr").map((row) => elementsIn(row, "td"));
  const hasText = rows.some((cells) => cells.slice(1).some((cell) => textOf(cell).length > maxShortLength));
  if (titles.length < minColumnCount || !hasText) return;
  table.properties = { ...table.properties, dataStacks: true };
  for (const cells of rows) {
    for (const [index, cell] of cells.entries()) cell.properties = { ...cell.properties, dataTitle: titles[index] };
  }
}

/** A rehype plugin that marks the tables of text with many columns. */
function stackTables(textOf: (node: Nodes) => string) {
  return () => (tree: Root) => {
    for (const table of elementsIn(tree, "table")) stackTable(table, textOf);
  };
}

/** Returns the text content of a node. */
export function textOf(node: Nodes): string {
  if (node.type === "text") return node.value;
  return "children" in node ? node.children.map(textOf).join("") : "";
}

/** Returns the language of a code fence; `text` without one. */
function languageOf({ properties: { className } }: Element): string {
  const names = Array.isArray(className) ? className.map(String) : [];
  const named = names.find((name) => name.startsWith("language-"));
  return named?.slice("language-".length) ?? "text";
}

function toNode({ text, kind }: CodeToken): ElementContent {
  const value = { type: "text", value: text } as const;
  if (kind === "plain") return value;
  return { type: "element", tagName: "span", properties: { className: [`token-${kind}`] }, children: [value] };
}

type Block = { pre: Element; code: Element; heading: string };

function codeOf(pre: Element): Element | undefined {
  const [only] = pre.children;
  return only?.type === "element" && only.tagName === "code" ? only : undefined;
}

function blocksOf(tree: Root): Block[] {
  const blocks: Block[] = [];
  let heading = "";
  const visit = (node: Nodes): void => {
    if (node.type === "element" && /^h[2-4]$/.test(node.tagName)) heading = textOf(node);
    const code = node.type === "element" && node.tagName === "pre" ? codeOf(node) : undefined;
    if (code) blocks.push({ pre: node as Element, code, heading });
    else if ("children" in node) for (const child of node.children) visit(child);
  };
  visit(tree);
  return blocks;
}

/**
 * A rehype plugin that adds token spans to code blocks, with `class="token-…"` and without inline styles, and the language
 * and nearest heading as data attributes of the `pre`.
 */
function highlightBlocks() {
  return async (tree: Root): Promise<void> => {
    for (const { pre, code, heading } of blocksOf(tree)) {
      const language = languageOf(code);
      const text = textOf(code).replace(/\n$/, "");
      pre.properties = { ...pre.properties, dataLanguage: language, dataHeading: heading };
      code.properties = { className: [`language-${language}`] };
      code.children = (await highlightCode(text, language)).map(toNode);
    }
  };
}

/** A rehype plugin that marks the options in inline code, such as `--mode` and `-W`: browsers break lines behind their hyphens. */
function markOptions() {
  return (tree: Root): void => {
    for (const code of elementsIn(tree, "code")) {
      const [only] = code.children;
      if (code.properties.className || only?.type !== "text") continue;
      // Every second part is an option.
      code.children = only.value.split(/(?<![\w-])(--?[a-z][\w-]*)/i).map((value, index): ElementContent => {
        const text = { type: "text", value } as const;
        if (index % 2 === 0) return text;
        return { type: "element", tagName: "span", properties: { dataOption: true }, children: [text] };
      });
    }
  };
}

/** A heading of a page, for its table of contents; `line` counts those of its markdown, from 0. */
export type Heading = { id: string; text: string; depth: 2 | 3; line: number };

const depths: Readonly<Record<string, Heading["depth"]>> = { h2: 2, h3: 3 };
const scrollable = new Set(["pre", "table"]);

/** A rehype plugin that collects headings, and makes horizontally scrollable blocks focusable by keyboard. */
function collectHeadings(headings: Heading[]) {
  return () => (tree: Root) => {
    const visit = (node: Nodes): void => {
      if (node.type === "element") {
        const depth = depths[node.tagName];
        const line = (node.position?.start.line ?? 1) - 1;
        if (depth) headings.push({ id: String(node.properties.id), text: textOf(node), depth, line });
        if (scrollable.has(node.tagName)) node.properties = { ...node.properties, tabIndex: 0 };
      }
      if ("children" in node) for (const child of node.children) visit(child);
    };
    visit(tree);
  };
}

type RenderedPage = { tree: Root; headings: Heading[] };

/**
 * Returns a page as a sanitized HTML tree and its headings, rendered once per process. The sanitizer runs before ids and
 * token classes are added, so that a page cannot set them itself.
 */
export const renderPage = perObject(async ({ markdown }: Pick<Page, "markdown">): Promise<RenderedPage> => {
  const headings: Heading[] = [];
  const pipeline = unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(remarkRehype)
    .use(rehypeSanitize)
    .use(rehypeSlug)
    .use(collectHeadings(headings))
    .use(stackTables(textOf))
    .use(highlightBlocks)
    .use(markOptions);
  const tree = await pipeline.run(pipeline.parse(markdown));
  return { tree, headings };
});

/** Returns a page's tree whose examples use an origin instead of the one in the files, in code blocks, tables and text. */
export function treeWithOrigin<N extends Nodes>(node: N, origin: string): N {
  if (node.type === "text") return { ...node, value: textWithOrigin(node.value, origin) };
  if (!("children" in node)) return node;
  return { ...node, children: node.children.map((child) => treeWithOrigin(child, origin)) };
}
