import type { Element, Root } from "hast";
import { toJsxRuntime } from "hast-util-to-jsx-runtime";
import type { ComponentProps } from "react";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";
import { copiedCode, textOf } from "#lib/discovery/content/index";
import { CodeBlock } from "../../_components/code-block";
import prose from "../../_components/prose.module.css";
import { ScrollCue, scrollBox } from "../../_components/scroll-box";
import code from "./code.module.css";
import styles from "./markdown.module.css";

type WithNode<Tag extends "pre" | "table" | "h2" | "h3"> = ComponentProps<Tag> & { node?: Element };

/** Commands wrap: a part that is out of view would be overlooked. */
const shellLanguages: ReadonlySet<string> = new Set(["bash", "sh", "console"]);

function Pre({ node, children }: WithNode<"pre">) {
  const text = node ? textOf(node).replace(/\n$/, "") : "";
  const language = String(node?.properties.dataLanguage ?? "text");
  const heading = String(node?.properties.dataHeading ?? "");
  const label = [language === "text" ? "example" : `${language} example`, heading].filter(Boolean).join(": ");
  return (
    <div className={`${styles.block} ${code.code}`}>
      <CodeBlock
        code={copiedCode(text, language)}
        label={label}
        title={language === "text" ? "example" : language}
        wrap={shellLanguages.has(language)}
      >
        {children}
      </CodeBlock>
    </div>
  );
}

/** Inline code longer than this can break after a slash, in characters. */
const longLength = 30;

/** Inline code. In a code block, `Pre` renders the `<code>` element, so only the children are rendered here. */
function Code({ className, children }: ComponentProps<"code">) {
  if (className?.startsWith("language-")) return <>{children}</>;
  if (typeof children !== "string" || children.length <= longLength) return <code>{children}</code>;
  let offset = 0;
  return (
    <code className={styles.long}>
      {children.split(/(?<=[/&?])/).map((part) => {
        offset += part.length;
        return (
          <Fragment key={offset}>
            {part}
            <wbr />
          </Fragment>
        );
      })}
    </code>
  );
}

function Table({ node, children }: WithNode<"table">) {
  const [head] = node?.children.filter((child) => child.type === "element") ?? [];
  const titles = head ? textOf(head).trim().split(/\n\s*/).filter(Boolean) : [];
  return (
    <div {...scrollBox(`Table: ${titles.join(", ")}`)} className={`${styles.table} scroll-box`}>
      <ScrollCue />
      <table data-stacks={node?.properties.dataStacks ? true : undefined}>{children}</table>
    </div>
  );
}

const hasLink = (node: Element): boolean =>
  node.children.some((child) => child.type === "element" && (child.tagName === "a" || hasLink(child)));

/** Creates a heading that links to itself. */
function linkedHeading(Tag: "h2" | "h3") {
  return function Heading({ node, id, children }: WithNode<"h2">) {
    if (!node || !id || hasLink(node)) return <Tag id={id}>{children}</Tag>;
    return (
      <Tag id={id} className={styles.heading}>
        <a href={`#${id}`}>{children}</a>
      </Tag>
    );
  };
}

const components = { pre: Pre, code: Code, table: Table, h2: linkedHeading("h2"), h3: linkedHeading("h3") };

/** Renders the tree of a docs page. */
export function Markdown({ tree }: { tree: Root }) {
  return (
    <div className={`${prose.prose} ${styles.markdown}`}>
      {toJsxRuntime(tree, { Fragment, jsx, jsxs, components, passNode: true, tableCellAlignToStyle: false })}
    </div>
  );
}
