import type { ReactNode } from "react";
import { ButtonLink } from "./button";
import { Link } from "./link";
import styles from "./pagination.module.css";

type Props = {
  /** What is paginated, such as `Vendors`. */
  label: string;
  previousHref?: string | null;
  nextHref?: string | null;
  /** The first page of a list that has no previous pages, because it is paged by cursor. */
  newestHref?: string | null;
  /** The current range, such as `21–40 of 106`. */
  children?: ReactNode;
};

/** Links to the previous and next page. Renders nothing if there is only one page. */
export function Pagination({ label, previousHref, nextHref, newestHref, children }: Props) {
  if (!previousHref && !nextHref && !newestHref) return null;
  return (
    <nav aria-label={`Pages: ${label}`} className={`${styles.pagination} row caption`}>
      {newestHref && (
        <ButtonLink href={newestHref} rel="first">
          Newest
        </ButtonLink>
      )}
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

type NumberedProps = {
  label: string;
  page: number;
  pageCount: number;
  hrefOf: (page: number) => string;
  children?: ReactNode;
};

/** Links to the pages beside a numbered one. */
export function NumberedPages({ label, page, pageCount, hrefOf, children }: NumberedProps) {
  return (
    <Pagination
      label={label}
      previousHref={page > 1 ? hrefOf(page - 1) : null}
      nextHref={page < pageCount ? hrefOf(page + 1) : null}
    >
      {children ?? `Page ${page} of ${pageCount}`}
    </Pagination>
  );
}

type PageLink = { href: string; title: string };
type NeighbourProps = {
  /** What the links lead to, such as `page`. */
  kind: string;
  previous: PageLink | undefined;
  next: PageLink | undefined;
};

/** Links to the previous and next page of a list, by their titles. Renders nothing without any. */
export function PreviousNextLinks({ kind, previous, next }: NeighbourProps) {
  if (!previous && !next) return null;
  return (
    <nav className={`${styles.links} row`} aria-label={`Previous and next ${kind}`}>
      {previous && (
        <Link href={previous.href} rel="prev">
          <span className="caption">Previous</span>
          <br />
          <strong>{previous.title}</strong>
        </Link>
      )}
      {next && (
        <Link href={next.href} rel="next" className={styles.next}>
          <span className="caption">Next</span>
          <br />
          <strong>{next.title}</strong>
        </Link>
      )}
    </nav>
  );
}
