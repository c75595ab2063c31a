"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { useEffect, useRef } from "react";
import type { NavSection } from "./docs-sections";
import styles from "./nav-links.module.css";

/** The navigation of the docs, with the page that is open marked in it. */
export function NavLinks({ sections }: { sections: readonly NavSection[] }) {
  const path = usePathname();
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    nav.current?.querySelector(`[href="${CSS.escape(path)}"]`)?.scrollIntoView({ block: "nearest" });
  }, [path]);
  return (
    <nav ref={nav} className={styles.nav} aria-label="Documentation">
      {sections.map(({ title, links }) => (
        <div key={title}>
          <p className={styles.title}>{title}</p>
          <ul>
            {links.map((link) => (
              <li key={link.href}>
                <Link href={link.href} prefetch={false} aria-current={path === link.href ? "page" : undefined}>
                  {link.title}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
