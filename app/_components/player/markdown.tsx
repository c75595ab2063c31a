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
import { splitBlocks } from "./split-blocks";

const options = {
  extensions: [gfmTable(), gfmStrikethrough()],
  mdastExtensions: [gfmTableFromMarkdown(), gfmStrikethroughFromMarkdown()],
};

const mark = new RegExp(`${citationMark.open}(\\d+)${citationMark.close}`);

function citedText(value: string): ReactNode {
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

function tableOf({ children: [head, ...body] }: Table): ReactNode {
  return (
    <div {...scrollBox("Table in the answer")} className={styles.table}>
      <table>
        <thead>
          <tr>
            {head?.children.map((cell) =>
              cell.children.length === 0 ? (
                <td key={keyOf(cell)} />
              ) : (
                <th key={keyOf(cell)} scope="col">
                  {childrenOf(cell)}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {body.map((row) => (
            <tr key={keyOf(row)}>
              {row.children.map((cell) => (
                <td key={keyOf(cell)}>{childrenOf(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Where a node begins in the text: it stays the same while the text grows. */
function keyOf({ type, position }: Nodes): string {
  return `${type}-${position?.start.offset}`;
}

function childrenOf(node: Parents): ReactNode {
  return node.children.map((child) => <Fragment key={keyOf(child)}>{elementOf(child)}</Fragment>);
}

/** A node as an element. Only what stands here is ever made; HTML in the text is shown as the text that it is. */
function elementOf(node: Nodes): ReactNode {
  switch (node.type) {
    case "text":
      return citedText(node.value);
    case "paragraph":
      return <p>{childrenOf(node)}</p>;
    case "heading":
      return <h3 className={node.depth > 2 ? styles.minor : undefined}>{childrenOf(node)}</h3>;
    case "strong":
      return <strong>{childrenOf(node)}</strong>;
    case "emphasis":
      return <em>{childrenOf(node)}</em>;
    case "delete":
      return <del>{childrenOf(node)}</del>;
    case "inlineCode":
      return <code>{node.value}</code>;
    case "code":
      return (
        <pre className={styles.code}>
          <code>{node.value}</code>
        </pre>
      );
    case "blockquote":
      return <blockquote>{childrenOf(node)}</blockquote>;
    case "list":
      return node.ordered ? <ol start={node.start ?? 1}>{childrenOf(node)}</ol> : <ul>{childrenOf(node)}</ul>;
    case "listItem":
      return (
        <li>
          {node.children.map((child) => (
            <Fragment key={keyOf(child)}>{itemOf(child, node.spread)}</Fragment>
          ))}
        </li>
      );
    case "table":
      return tableOf(node);
    case "thematicBreak":
      return <hr />;
    case "break":
      return <br />;
    case "link":
      return linkOf(node.url, childrenOf(node));
    case "html":
      return node.value;
    case "image":
      return node.alt;
    default:
      return "children" in node ? childrenOf(node) : null;
  }
}

/** In a tight list, a paragraph is not one. */
function itemOf(node: Nodes, isSpread: boolean | null | undefined): ReactNode {
  return node.type === "paragraph" && !isSpread ? childrenOf(node) : elementOf(node);
}

function linkOf(url: string, text: ReactNode): ReactNode {
  if (!/^https?:\/\//i.test(url)) return text;
  return (
    <a href={url} rel="nofollow noreferrer">
      {text}
    </a>
  );
}

/** One block, parsed again only when it changes: of a text that streams in, that is the last one. */
const Block = memo(function Block({ text }: { text: string }) {
  const tree: Root = fromMarkdown(text, options);
  return childrenOf(tree);
});

/** Markdown of a model as elements. */
export function Markdown({ text }: { text: string }) {
  return (
    <div className={prose.prose}>
      {splitBlocks(text).map(({ offset, block }) => (
        <Block key={offset} text={block} />
      ))}
    </div>
  );
}
