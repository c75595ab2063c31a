import type { CodeToken } from "#lib/discovery/content/index";
import styles from "./code.module.css";

/** Highlighted code. */
export function Tokens({ tokens }: { tokens: readonly CodeToken[] }) {
  let offset = 0;
  return (
    <span className={styles.code}>
      {tokens.map(({ text, kind }) => {
        offset += text.length;
        return kind === "plain" ? (
          text
        ) : (
          <span key={offset} className={`token-${kind}`}>
            {text}
          </span>
        );
      })}
    </span>
  );
}
