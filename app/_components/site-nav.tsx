"use client";

import { usePathname } from "next/navigation";
import { Link } from "./link";
import styles from "./site-header.module.css";

/** The sections of the site, in the header's order. */
const siteLinks = [
  { href: "/replay", text: "Replay" },
  { href: "/vendors", text: "Vendors" },
  { href: "/docs", text: "Docs" },
  { href: "/pricing", text: "Pricing" },
  { href: "/status", text: "Status" },
] as const;

function Links({ path }: { path: string }) {
  return (
    <ul>
      {siteLinks.map(({ href, text }) => (
        <li key={href}>
          <Link href={href} aria-current={path === href || path.startsWith(`${href}/`) ? "page" : undefined}>
            {text}
          </Link>
        </li>
      ))}
      <li>
        <Link href="/docs#search" className={styles.search}>
          <svg aria-hidden="true" viewBox="0 0 16 16" width="16" height="16">
            <circle cx="7" cy="7" r="4.5" />
            <path d="M10.5 10.5 14 14" />
          </svg>
          Search
        </Link>
      </li>
    </ul>
  );
}

/** The site's navigation: a row on wide screens, a menu without script on narrow ones. Its key closes it on navigation. */
export function SiteNav() {
  const path = usePathname() ?? "";
  return (
    <>
      <nav className={styles.wide} aria-label="Site">
        <Links path={path} />
      </nav>
      <details key={path} className={styles.narrow}>
        <summary>Menu</summary>
        <nav aria-label="Site">
          <Links path={path} />
        </nav>
      </details>
    </>
  );
}
