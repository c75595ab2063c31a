import { Link } from "./link";
import styles from "./site-header.module.css";
import { SiteNav } from "./site-nav";

export function SiteHeader({ name }: { name: string }) {
  return (
    <header className={styles.header}>
      <div className={styles.inner}>
        <Link className={styles.brand} href="/">
          <svg aria-hidden="true" viewBox="0 0 28 18" width="28" height="18">
            <path d="M2 9v3M6 9V4M10 9v5M18 9v7M22 9V5M26 9V6" />
            <path className={styles.needle} d="M14 17V1" />
          </svg>
          {name}
        </Link>
        <SiteNav />
      </div>
    </header>
  );
}
