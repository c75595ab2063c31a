import type { Nodes, Parents, Root, Table } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmStrikethroughFromMarkdown } from "mdast-util-gfm-strikethrough";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmStrikethrough } from "micromark-extension-gfm-strikethrough";
import { gfmTable } from "micromark-extension-gfm-table";
import { Fragment, memo, type ReactNode } from "react";
import prose from "../prose.module.css";
import { scrollBox } from "../scroll-box";
import styles from "./answer.module.css";
import { citationMark } from "./fold-answer";

/** A part of a markdown text that can be parsed on its own. */
type MarkdownBlock = { offset: number; block: string };

const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/;
/** A line that can continue a block after a blank line: a list item or indented text. */
const continuation = /^(?:\s|[-+*](?:\s|$)|\d{1,9}[.)](?:\s|$))/;

/** Returns the code fence that is open after a line, or null. */
function fenceAfter(line: string, open: string | null): string | null {
  const [, marks = "", rest = ""] = fence.exec(line) ?? [];
  if (open === null) return marks.startsWith("`") && rest.includes("`") ? null : marks || null;
  return marks.startsWith(open) && rest.trim() === "" ? null : open;
}

/**
 * Splits markdown at blank lines that end a block: not within fenced code, nor before a list item or indented text. When a
 * text grows, all blocks except the last stay the same.
 */
export function splitBlocks(markdown: string): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let [start, offset] = [0, 0];
  let openFence: string | null = null;
  let isAfterBlank = false;
  for (const line of markdown.split("\n")) {
    if (isAfterBlank && openFence === null && line !== "" && !continuation.test(line)) {
      blocks.push({ offset: start, block: markdown.slice(start, offset) });
      start = offset;
    }
    openFence = fenceAfter(line, openFence);
    isAfterBlank = line.trim() === "";
    offset += line.length + 1;
  }
  blocks.push({ offset: start, block: markdown.slice(start) });
  return blocks;
}

const options = {
  extensions: [gfmTable(), gfmStrikethrough()],
  mdastExtensions: [gfmTableFromMarkdown(), gfmStrikethroughFromMarkdown()],
};

const mark = new RegExp(`${citationMark.open}(\\d+)${citationMark.close}`);

function renderText(value: string): ReactNode {
  const pieces = value.split(mark);
  if (pieces.length === 1) return value;
  return pieces.map((piece, index) =>
    index % 2 === 0 ? (
      piece
    ) : (
      <sup key={piece} className={styles.mark}>
        {piece}
      </sup>
    ),
  );
}

function renderTable({ children: [head, ...body] }: Table): ReactNode {
  return (
    <div {...scrollBox("Table in the answer")} className={styles.table}>
      <table>
        <thead>
          <tr>
            {head?.children.map((cell) =>
              cell.children.length === 0 ? (
                <td key={nodeKey(cell)} />
              ) : (
                <th key={nodeKey(cell)} scope="col">
                  {renderChildren(cell)}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {body.map((row) => (
            <tr key={nodeKey(row)}>
              {row.children.map((cell) => (
                <td key={nodeKey(cell)} dir="auto">
                  {renderChildren(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A key from the node's position in the text, which stays the same while the text grows. */
function nodeKey({ type, position }: Nodes): string {
  return `${type}-${position?.start.offset}`;
}

function renderChildren(node: Parents, render: (child: Nodes) => ReactNode = renderNode): ReactNode {
  return node.children.map((child) => <Fragment key={nodeKey(child)}>{render(child)}</Fragment>);
}

/** Renders a node. Only these elements are ever created; HTML in the text is shown as text. */
function renderNode(node: Nodes): ReactNode {
  switch (node.type) {
    case "text":
      return renderText(node.value);
    case "paragraph":
      return <p dir="auto">{renderChildren(node)}</p>;
    case "heading":
      return (
        <h3 dir="auto" className={node.depth > 2 ? styles.minor : undefined}>
          {renderChildren(node)}
        </h3>
      );
    case "strong":
      return <strong>{renderChildren(node)}</strong>;
    case "emphasis":
      return <em>{renderChildren(node)}</em>;
    case "delete":
      return <del>{renderChildren(node)}</del>;
    case "inlineCode":
      return <code>{node.value}</code>;
    case "code":
      return (
        <pre className={styles.code}>
          <code>{node.value}</code>
        </pre>
      );
    case "blockquote":
      return <blockquote dir="auto">{renderChildren(node)}</blockquote>;
    case "list":
      return node.ordered ? <ol start={node.start ?? 1}>{renderChildren(node)}</ol> : <ul>{renderChildren(node)}</ul>;
    case "listItem":
      return <li dir="auto">{renderChildren(node, (child) => renderListItemChild(child, node.spread))}</li>;
    case "table":
      return renderTable(node);
    case "thematicBreak":
      return <hr />;
    case "break":
      return <br />;
    case "link":
      return renderLink(node.url, renderChildren(node));
    case "html":
      return node.value;
    case "image":
      return node.alt;
    default:
      return "children" in node ? renderChildren(node) : null;
  }
}

/** Renders a child of a list item. In a tight list, paragraphs have no element. */
function renderListItemChild(node: Nodes, isSpread: boolean | null | undefined): ReactNode {
  return node.type === "paragraph" && !isSpread ? renderChildren(node) : renderNode(node);
}

/** Renders a link to a page; only its text for any other URL. */
export function renderLink(url: string | null, text: ReactNode): ReactNode {
  if (!url || !/^https?:\/\//i.test(url)) return text;
  return (
    <a href={url} rel="nofollow noreferrer">
      {text}
    </a>
  );
}

/** One block, memoised so that only the last block of a streaming text is parsed again. */
const Block = memo(function Block({ text }: { text: string }) {
  const tree: Root = fromMarkdown(text, options);
  return renderChildren(tree);
});

/** Renders a model's markdown. */
export function Markdown({ text }: { text: string }) {
  return (
    <div className={prose.prose}>
      {splitBlocks(text).map(({ offset, block }) => (
        <Block key={offset} text={block} />
      ))}
    </div>
  );
}
