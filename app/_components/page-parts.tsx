import { Children, type ReactNode } from "react";
import styles from "./page-parts.module.css";

type HeaderProps = {
  title: string;
  /** A line above the title, such as breadcrumbs. */
  above?: ReactNode;
  lead?: ReactNode;
  /** Less space around it, for pages whose main part has to be in view. */
  isCompact?: boolean;
  /** Facts and buttons. */
  children?: ReactNode;
};

/** The title block of a page. */
export function PageHeader({ title, above, lead, isCompact = false, children }: HeaderProps) {
  return (
    <header className={isCompact ? `${styles.header} ${styles.compact}` : styles.header}>
      {above && <p className="caption">{above}</p>}
      <h1>{title}</h1>
      {lead && <div className="lead">{lead}</div>}
      {children}
    </header>
  );
}

/** Short items in a row, such as badges and numbers. */
export function Facts({ children }: { children: ReactNode }) {
  return (
    <ul className="row caption plain-list">
      {Children.map(Children.toArray(children), (fact) => (
        <li>{fact}</li>
      ))}
    </ul>
  );
}

type SectionProps = { id: string; title: string; hint?: ReactNode; children: ReactNode };

/** A section of a page with a heading. */
export function Section({ id, title, hint, children }: SectionProps) {
  return (
    <section aria-labelledby={id} className={`${styles.section} stack`}>
      <div>
        <h2 id={id}>{title}</h2>
        {hint && <p className={`${styles.hint} caption`}>{hint}</p>}
      </div>
      {children}
    </section>
  );
}

type Row = { name: string; value: ReactNode; className?: string | undefined };

/** Names with their values, one per line. The class is that of the name. */
export function Rows({ rows }: { rows: readonly Row[] }) {
  return (
    <dl className={styles.rows}>
      {rows.map(({ name, value, className }) => (
        <div key={name}>
          <dt className={className}>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

type NoticeProps = {
  /** `empty`: nothing to show yet; `error`: something failed; `info`: other information. */
  tone?: "empty" | "error" | "info";
  title?: string;
  children: ReactNode;
};

/** Says which filters of a page are not valid. */
export function InvalidFilters({ messages }: { messages: readonly string[] }) {
  if (messages.length === 0) return null;
  return (
    <Notice tone="error">
      {messages.map((message) => (
        <p key={message}>{message}</p>
      ))}
    </Notice>
  );
}

/** A message that says what happened and what to do. */
export function Notice({ tone = "info", title, children }: NoticeProps) {
  return (
    <div className={`panel ${styles.notice} ${styles[tone] ?? ""}`} role={tone === "error" ? "alert" : undefined}>
      {title && <strong>{title}</strong>}
      <div>{children}</div>
    </div>
  );
}
