import type { ReactNode } from "react";
import { ButtonLink } from "./button";
import styles from "./pagination.module.css";

type Props = {
  /** What is paged, such as `Vendors`. */
  label: string;
  previousHref?: string | null;
  nextHref?: string | null;
  /** Where the reader stands, such as `21–40 of 106`. */
  children?: ReactNode;
};

/** One page back, one on. Nothing where there is but one page. */
export function Pagination({ label, previousHref, nextHref, children }: Props) {
  if (!previousHref && !nextHref) return null;
  return (
    <nav aria-label={`Pages: ${label}`} className={styles.pagination}>
      {previousHref && (
        <ButtonLink href={previousHref} rel="prev">
          Previous
        </ButtonLink>
      )}
      {children && <span>{children}</span>}
      {nextHref && (
        <ButtonLink href={nextHref} rel="next">
          Next
        </ButtonLink>
      )}
    </nav>
  );
}
