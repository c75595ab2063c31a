"use client";

import { useSelectedLayoutSegment } from "next/navigation";
import type { ReactNode } from "react";
import styles from "./frame.module.css";

type Props = { header: ReactNode; footer: ReactNode; children: ReactNode };

/** The site around a page. An embedded player goes without: it stands within somebody else's site. */
export function Frame({ header, footer, children }: Props) {
  if (useSelectedLayoutSegment() === "embed") return children;
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      {header}
      <main id="main" className={styles.main}>
        {children}
      </main>
      {footer}
    </>
  );
}
