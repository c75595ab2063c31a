import type { ReactNode } from "react";
import { PageHeader } from "../../_components/page-parts";
import styles from "../docs.module.css";
import { type HeadingLink, TableOfContents } from "./table-of-contents";

type Props = {
  section: string;
  title: string;
  lead: string;
  /** Entries of the table of contents, which is shown for two or more. */
  contents: readonly HeadingLink[];
  /** Buttons below the lead. */
  tools?: ReactNode;
  /** Whether the body is wider than text columns, for tables. */
  isWide?: boolean;
  children: ReactNode;
};

/** A page of the docs: header, table of contents and body. */
export function DocsPage({ section, title, lead, contents, tools, isWide = false, children }: Props) {
  const hasContents = contents.length > 1;
  return (
    <article className={`${styles.page} ${isWide ? styles.wide : ""} ${hasContents ? "" : styles.withoutContents}`}>
      <PageHeader above={section} title={title} lead={lead}>
        {tools && <div className="row caption">{tools}</div>}
      </PageHeader>
      {hasContents && <TableOfContents entries={contents} />}
      <div className={styles.body}>{children}</div>
    </article>
  );
}
