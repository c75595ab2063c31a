"use client";

import { useEffect, useState } from "react";
import styles from "./copy-button.module.css";

const shownMs = 2_000;
const words = { idle: "Copy", copied: "Copied", failed: "Select and copy" } as const;

/** Copies a text. `label` says what, for those who do not see where it stands. Without a script it is not shown. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [state, setState] = useState<keyof typeof words>("idle");
  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), shownMs);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState("copied");
    } catch {
      setState("failed");
    }
  };
  return (
    <button type="button" className={styles.copy} onClick={copy}>
      <span aria-live="polite">{words[state]}</span>
      <span className="visually-hidden"> {label}</span>
    </button>
  );
}
