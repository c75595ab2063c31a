import type { ReactNode } from "react";
import styles from "./code-block.module.css";
import { CopyButton } from "./copy-button";
import { scrollBox } from "./scroll-box";

type Props = {
  code: string;
  /** What it is, such as `curl command`: names the box and its copy button. */
  label: string;
  /** Breaks long lines instead of scrolling: for commands of one line. */
  wrap?: boolean;
  /** The code as it is shown, where it is more than its text: highlighted. */
  children?: ReactNode;
};

/** Code with its copy button. */
export function CodeBlock({ code, label, wrap = false, children }: Props) {
  return (
    <div className={styles.block}>
      <pre {...scrollBox(label)} className={wrap ? styles.wrap : undefined}>
        <code>{children ?? code}</code>
      </pre>
      <CopyButton text={code} label={label} />
    </div>
  );
}
