"use client";

import { useEffect, useState } from "react";
import { Button } from "./button";

const shownMs = 2_000;

async function readFile(path: string): Promise<Blob> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path} returned ${response.status}`);
  return new Blob([await response.text()], { type: "text/plain" });
}

type Props = {
  /** The text, or what returns it when the button is pressed. */
  text?: string | (() => string);
  /** Path of a file of this site to copy instead. */
  path?: string;
  /** Names the text for screen readers. */
  label?: string;
  idleText?: string;
};

/** Copies a text. Hidden without JavaScript. */
export function CopyButton({ text = "", path, label, idleText = "Copy" }: Props) {
  const labels = { idle: idleText, copied: "Copied", failed: path ? "Couldn’t copy" : "Select and copy" } as const;
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), shownMs);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    try {
      // The clipboard gets a promise, because some browsers only allow copying within the click.
      if (path) await navigator.clipboard.write([new ClipboardItem({ "text/plain": readFile(path) })]);
      else await navigator.clipboard.writeText(typeof text === "string" ? text : text());
      setState("copied");
    } catch {
      setState("failed");
    }
  };
  return (
    <Button variant="quiet" className="scripted" onClick={copy}>
      <span aria-live="polite">{labels[state]}</span>
      {label && <span className="visually-hidden"> {label}</span>}
    </Button>
  );
}
