"use client";

import { useEffect, useState } from "react";
import styles from "./table-of-contents.module.css";

export type HeadingLink = { id: string; text: string; depth: 2 | 3 };

/** A heading counts as reached when it is this near to the window's top, in pixels. */
const reachedPx = 96;

/** The last heading that the reader has reached. */
function currentOf(entries: readonly HeadingLink[]): string | undefined {
  return entries.findLast(({ id }) => {
    const heading = document.getElementById(id);
    return heading !== null && heading.getBoundingClientRect().top <= reachedPx;
  })?.id;
}

function useCurrentHeading(entries: readonly HeadingLink[]): string | undefined {
  const [current, setCurrent] = useState<string>();
  useEffect(() => {
    let frame = 0;
    const look = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => setCurrent(currentOf(entries)));
    };
    look();
    addEventListener("scroll", look, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", look);
    };
  }, [entries]);
  return current;
}

/** What stands on the page; with a script, where the reader is. */
export function Contents({ entries }: { entries: readonly HeadingLink[] }) {
  const current = useCurrentHeading(entries);
  return (
    <nav className={styles.contents} aria-label="On this page">
      <p>On this page</p>
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
