"use client";

import { useState } from "react";
import { Button } from "../../_components/button";
import styles from "./docs-page.module.css";

const labels = { idle: "Copy as markdown", copied: "Copied", failed: "Couldn’t copy" } as const;

async function readMarkdown(path: string): Promise<Blob> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path} returned ${response.status}`);
  return new Blob([await response.text()], { type: "text/plain" });
}

/** Copies a page's markdown. The clipboard gets a promise, because some browsers only allow copying within the click. */
export function CopyMarkdown({ path }: { path: string }) {
  const [state, setState] = useState<keyof typeof labels>("idle");
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
      <span aria-live="polite">{labels[state]}</span>
    </Button>
  );
}
