import type { ReactNode } from "react";
import styles from "./embed.module.css";

/** The frame that a player has within somebody else's page: none. */
export default function EmbedLayout({ children }: { children: ReactNode }) {
  return <main className={styles.embed}>{children}</main>;
}
