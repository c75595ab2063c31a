import type { ReactNode } from "react";
import styles from "./embed.module.css";

/** The layout of the embedded player, without the site's header and footer. */
export default function EmbedLayout({ children }: { children: ReactNode }) {
  return <main className={styles.embed}>{children}</main>;
}
