import type { DocsLink } from "#lib/discovery/content/index";
import { Link } from "../../_components/link";
import styles from "./docs-page.module.css";

type Props = { previous: DocsLink | undefined; next: DocsLink | undefined };

/** Links to the previous and next page. */
export function PreviousNextLinks({ previous, next }: Props) {
  return (
    <nav className={styles.previousNext} aria-label="Previous and next page">
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
