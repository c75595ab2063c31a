import type { Element, ElementContent, Nodes, Root } from "hast";
import { type CodeToken, highlightCode } from "./highlight";

/** The text of a node, without its marks. */
export function textOf(node: Nodes): string {
  if (node.type === "text") return node.value;
  return "children" in node ? node.children.map(textOf).join("") : "";
}

/** The language that a fence names, `text` where it names none. */
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
 * Gives each code block the spans of its tokens, `class="token-…"` and never a style, and on its `pre` the language and
 * the heading that it stands under. Code that names no language is `text`.
 */
export function highlightBlocks() {
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
