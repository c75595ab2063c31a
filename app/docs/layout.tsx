import type { ReactNode } from "react";
import { listNavSections } from "./_components/docs-sections";
import { NavLinks } from "./_components/nav-links";
import { SideSearch } from "./_components/side-search";
import styles from "./layout.module.css";

/** The layout of the docs: navigation on the left, or collapsed above the page on narrow screens. */
export default async function DocsLayout({ children }: { children: ReactNode }) {
  const sections = await listNavSections();
  return (
    <div className={styles.docs}>
      <div className={styles.side}>
        <SideSearch />
        <div className={styles.wide}>
          <NavLinks sections={sections} />
        </div>
        <details className={styles.narrow}>
          <summary>All pages</summary>
          <NavLinks sections={sections} />
        </details>
      </div>
      {children}
    </div>
  );
}
