import type { ReactNode } from "react";
import styles from "./code-block.module.css";
import { CopyButton } from "./copy-button";
import { scrollBox } from "./scroll-box";

type Props = {
  code: string;
  /** Names the box and its copy button, such as `curl command`. */
  label: string;
  /** Wraps long lines instead of scrolling; for one-line commands. */
  wrap?: boolean;
  /** Highlighted code to show instead of the plain text. */
  children?: ReactNode;
};

/** Code with a copy button. */
export function CodeBlock({ code, label, wrap = false, children }: Props) {
  return (
    <div className={styles.block}>
      <pre {...scrollBox(label)} className={wrap ? styles.wrap : "scroll-box"}>
        <code>{children ?? code}</code>
      </pre>
      <CopyButton text={code} label={label} />
    </div>
  );
}
