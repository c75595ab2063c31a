import type { ReactNode } from "react";
import styles from "./notice.module.css";

type Props = {
  /** `empty`: nothing to show yet; `error`: something failed; `info`: other information. */
  tone?: "empty" | "error" | "info";
  title?: string;
  children: ReactNode;
};

/** A message that says what happened and what to do. */
export function Notice({ tone = "info", title, children }: Props) {
  return (
    <div
      className={tone === "info" ? styles.notice : `${styles.notice} ${styles[tone]}`}
      role={tone === "error" ? "alert" : undefined}
    >
      {title && <p className={styles.title}>{title}</p>}
      <div>{children}</div>
    </div>
  );
}
