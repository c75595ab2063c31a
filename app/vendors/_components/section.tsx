import type { ReactNode } from "react";
import styles from "./section.module.css";

type Props = { id: string; title: string; hint?: ReactNode; children: ReactNode };

/** A section of a page with a heading. */
export function Section({ id, title, hint, children }: Props) {
  return (
    <section aria-labelledby={id} className={styles.section}>
      <div>
        <h2 id={id}>{title}</h2>
        {hint && <p className={`${styles.hint} caption`}>{hint}</p>}
      </div>
      {children}
    </section>
  );
}
