"use client";

import { useEffect, useState } from "react";
import styles from "../docs.module.css";

export type HeadingLink = { id: string; text: string; depth: 2 | 3 };

/** A heading is current once it is this close to the top of the window, in pixels. */
const currentHeadingPx = 96;

/** Returns the id of the last heading above the reading position. */
function findCurrentHeading(entries: readonly HeadingLink[]): string | undefined {
  return entries.findLast(({ id }) => {
    const heading = document.getElementById(id);
    return heading !== null && heading.getBoundingClientRect().top <= currentHeadingPx;
  })?.id;
}

function useCurrentHeading(entries: readonly HeadingLink[]): string | undefined {
  const [current, setCurrent] = useState<string>();
  useEffect(() => {
    let frame = 0;
    const update = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => setCurrent(findCurrentHeading(entries)));
    };
    update();
    addEventListener("scroll", update, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", update);
    };
  }, [entries]);
  return current;
}

/** The headings of the page. With JavaScript, the current one is marked. */
export function TableOfContents({ entries }: { entries: readonly HeadingLink[] }) {
  const current = useCurrentHeading(entries);
  return (
    <nav className={`${styles.links} ${styles.contents}`} aria-label="On this page">
      <strong>On this page</strong>
      <ul>
        {entries.map(({ id, text, depth }) => (
          <li key={id} className={depth === 3 ? styles.sub : undefined}>
            <a href={`#${id}`} aria-current={id === current ? "location" : undefined}>
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
