import { Fragment } from "react";
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

/** A description from an endpoint declaration, in which backticks mark code. */
export function InlineText({ text }: { text: string }) {
  let offset = 0;
  return text.split("`").map((part, index) => {
    offset += part.length + 1;
    return index % 2 === 1 ? <code key={offset}>{part}</code> : <Fragment key={offset}>{part}</Fragment>;
  });
}
