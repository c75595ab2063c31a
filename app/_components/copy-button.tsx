"use client";

import { useEffect, useState } from "react";
import styles from "./copy-button.module.css";

const shownMs = 2_000;
const labels = { idle: "Copy", copied: "Copied", failed: "Select and copy" } as const;

/** Copies a text. `label` names the text for screen readers. Hidden without JavaScript. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [state, setState] = useState<keyof typeof labels>("idle");
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
      <span aria-live="polite">{labels[state]}</span>
      <span className="visually-hidden"> {label}</span>
    </button>
  );
}
