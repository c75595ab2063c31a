"use client";

import { useEffect, useState } from "react";
import styles from "./copy-button.module.css";

const shownMs = 2_000;

type Props = {
  /** The text, or what returns it when the button is pressed. */
  text: string | (() => string);
  /** Names the text for screen readers. */
  label: string;
  idleText?: string;
};

/** Copies a text. Hidden without JavaScript. */
export function CopyButton({ text, label, idleText = "Copy" }: Props) {
  const labels = { idle: idleText, copied: "Copied", failed: "Select and copy" } as const;
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), shownMs);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : text());
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
