"use client";

import { useSelectedLayoutSegment } from "next/navigation";
import type { ReactNode } from "react";
import styles from "./site.module.css";

type Props = { header: ReactNode; footer: ReactNode; children: ReactNode };

/** The header and footer around a page. The embedded player has neither, because it is part of another site. */
export function Frame({ header, footer, children }: Props) {
  if (useSelectedLayoutSegment() === "embed") return children;
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      {header}
      <main id="main" className={`${styles.width} ${styles.main}`}>
        {children}
      </main>
      {footer}
    </>
  );
}
