import { Link } from "./link";
import styles from "./previous-next-links.module.css";

type PageLink = { href: string; title: string };
type Props = {
  /** What the links lead to, such as `page`. */
  kind: string;
  previous: PageLink | undefined;
  next: PageLink | undefined;
};

/** Links to the previous and next page of a list. Renders nothing without any. */
export function PreviousNextLinks({ kind, previous, next }: Props) {
  if (!previous && !next) return null;
  return (
    <nav className={styles.links} aria-label={`Previous and next ${kind}`}>
      {previous && (
        <Link href={previous.href} rel="prev">
          <span>Previous</span>
          <span>{previous.title}</span>
        </Link>
      )}
      {next && (
        <Link href={next.href} rel="next" className={styles.next}>
          <span>Next</span>
          <span>{next.title}</span>
        </Link>
      )}
    </nav>
  );
}
