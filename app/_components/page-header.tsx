import { Children, type ReactNode } from "react";
import styles from "./page-header.module.css";

type Props = {
  title: string;
  /** A line above the title, such as breadcrumbs. */
  above?: ReactNode;
  lead?: ReactNode;
  /** Short items in a row, such as badges and numbers. */
  facts?: readonly ReactNode[];
  /** Less space around it, for pages whose main part has to be in view. */
  isCompact?: boolean;
  /** Buttons. */
  children?: ReactNode;
};

/** The title block of a page. */
export function PageHeader({ title, above, lead, facts = [], isCompact = false, children }: Props) {
  return (
    <header className={isCompact ? `${styles.header} ${styles.compact}` : styles.header}>
      {above && <p className="caption">{above}</p>}
      <h1>{title}</h1>
      {lead && <div className="lead">{lead}</div>}
      {facts.length > 0 && (
        <ul className={`${styles.facts} caption`}>
          {Children.map(facts, (fact) => (
            <li>{fact}</li>
          ))}
        </ul>
      )}
      {children}
    </header>
  );
}
