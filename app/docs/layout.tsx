import type { Metadata } from "next";
import type { ReactNode } from "react";
import { listDocsSections } from "#lib/discovery/content/index";
import { getPageContext } from "../_components/page-context";
import { listApiGroups } from "../endpoints";
import { NavLinks, type NavSection } from "./_components/nav-links";
import { SideSearch } from "./_components/search-form";
import styles from "./docs.module.css";

/** Some docs pages have the same title as a page of the site. */
export async function generateMetadata(): Promise<Metadata> {
  const { site } = await getPageContext();
  return { title: { default: "Docs", template: `%s · Docs · ${site.display_name}` } };
}

/** Lists the sections of the docs, with the API reference before the sections for operators. */
async function listNavSections(): Promise<NavSection[]> {
  const sections: NavSection[] = await listDocsSections();
  const groups = listApiGroups().map(({ slug, title }) => ({ href: `/docs/api/${slug}`, title }));
  const reference = { title: "API reference", links: [{ href: "/docs/api", title: "All operations" }, ...groups] };
  const index = sections.findIndex(({ title }) => title === "Operations");
  return sections.toSpliced(index === -1 ? sections.length : index, 0, reference);
}

/** The layout of the docs: navigation on the left, or collapsed above the page on narrow screens. */
export default async function DocsLayout({ children }: { children: ReactNode }) {
  const sections = await listNavSections();
  return (
    <div className={styles.docs}>
      <div className={styles.side}>
        <SideSearch />
        <div className={styles.scroll}>
          <NavLinks sections={sections} />
        </div>
        <details className={`${styles.narrow} panel`}>
          <summary>All pages</summary>
          <NavLinks sections={sections} />
        </details>
      </div>
      {children}
    </div>
  );
}
