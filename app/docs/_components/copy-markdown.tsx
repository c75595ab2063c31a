"use client";

import { useState } from "react";
import { Button } from "../../_components/button";
import styles from "./docs-page.module.css";

const words = {
  idle: "Copy as markdown",
  copied: "Copied",
  failed: "It could not be copied",
} as const;

async function readMarkdown(path: string): Promise<Blob> {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return new Blob([await answer.text()], { type: "text/plain" });
}

/** Puts a page's markdown into the clipboard. It is handed over as a promise: some browsers copy within the click alone. */
export function CopyMarkdown({ path }: { path: string }) {
  const [state, setState] = useState<keyof typeof words>("idle");
  const copy = async () => {
    try {
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": readMarkdown(path) })]);
      setState("copied");
    } catch {
      setState("failed");
    }
  };
  return (
    <Button variant="quiet" className={styles.scripted} onClick={copy}>
      <span aria-live="polite">{words[state]}</span>
    </Button>
  );
}
