import type { ReactNode } from "react";
import { PageHeader } from "../../_components/page-header";
import styles from "./docs-page.module.css";
import { Contents, type HeadingLink } from "./table-of-contents";

type Props = {
  section: string;
  title: string;
  lead: string;
  /** What stands in the contents; none for fewer than two. */
  contents: readonly HeadingLink[];
  /** Buttons below the lead. */
  tools?: ReactNode;
  /** Whether the body is wider than a text's measure: it holds tables. */
  isWide?: boolean;
  children: ReactNode;
};

/** A page of the docs: its head, its contents beside or above it, and its body. */
export function DocsPage({ section, title, lead, contents, tools, isWide = false, children }: Props) {
  const hasContents = contents.length > 1;
  return (
    <article className={`${styles.page} ${isWide ? styles.wide : ""} ${hasContents ? "" : styles.alone}`}>
      <PageHeader above={section} title={title} lead={lead}>
        {tools && <div className={styles.tools}>{tools}</div>}
      </PageHeader>
      {hasContents && (
        <div className={styles.contents}>
          <Contents entries={contents} />
        </div>
      )}
      <div className={styles.body}>{children}</div>
    </article>
  );
}
