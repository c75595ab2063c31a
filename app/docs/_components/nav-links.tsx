"use client";

import { usePathname } from "next/navigation";
import { useEffect, useRef } from "react";
import { Link } from "../../_components/link";
import styles from "../docs.module.css";

/** A section of the navigation. */
export type NavSection = { title: string; links: { href: string; title: string }[] };

/** Scrolls a link to the middle of its box if it is out of view, without scrolling the page. */
function scrollIntoBox(link: Element, box: Element): void {
  const [{ top, bottom }, frame] = [link.getBoundingClientRect(), box.getBoundingClientRect()];
  const end = Math.min(frame.bottom, innerHeight);
  if (top < frame.top || bottom > end) box.scrollTop += (top + bottom - frame.top - end) / 2;
}

/** The navigation of the docs, with the current page marked. */
export function NavLinks({ sections }: { sections: readonly NavSection[] }) {
  const path = usePathname();
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const link = nav.current?.querySelector(`[href="${CSS.escape(path)}"]`);
    if (link && nav.current?.parentElement) scrollIntoBox(link, nav.current.parentElement);
  }, [path]);
  return (
    <nav ref={nav} className={`${styles.links} ${styles.pages} stack`} aria-label="Documentation">
      {sections.map(({ title, links }) => (
        <div key={title}>
          <strong>{title}</strong>
          <ul>
            {links.map((link) => (
              <li key={link.href}>
                <Link href={link.href} aria-current={path === link.href ? "page" : undefined}>
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
