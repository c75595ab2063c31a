import type { ReactNode } from "react";
import styles from "./code-block.module.css";
import { CopyButton } from "./copy-button";
import { scrollBox } from "./scroll-box";

type Props = {
  code: string;
  /** Names the box and its copy button, such as `curl command`. */
  label: string;
  /** What the bar above the code says, such as `bash`; the label if absent. */
  title?: string;
  /** Wraps long lines instead of scrolling; for shell commands and addresses. */
  wrap?: boolean;
  /** Highlighted code to show instead of the plain text. */
  children?: ReactNode;
};

/** Keeps each flag of a command in one line: browsers break lines after hyphens, which makes `--tier` look like two words. */
function keepFlags(code: string): ReactNode[] {
  return code.split(/(?<=\s)(--?[a-z][a-z-]*)/i).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a code do not move
      <span key={index} className={styles.flag}>
        {part}
      </span>
    ),
  );
}

/** Code below a bar with a copy button. */
export function CodeBlock({ code, label, title = label, wrap = false, children }: Props) {
  return (
    <div className="panel">
      <div className={styles.bar}>
        <span className={`${styles.title} caption`}>{title}</span>
        <CopyButton text={code} label={label} />
      </div>
      <pre {...scrollBox(label)} className={wrap ? styles.wrap : "scroll-box"}>
        <code>{children ?? (wrap ? keepFlags(code) : code)}</code>
      </pre>
    </div>
  );
}
