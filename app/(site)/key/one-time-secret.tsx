"use client";

import { useEffect, useRef } from "react";
import { Button } from "../../_components/button";
import { CodeBlock } from "../../_components/code-block";
import styles from "./key.module.css";

type Props = { title: string; value: string; label: string; note: string; onDone: () => void };

/** A secret that is shown only once. It gets the focus, and disappears when it is dismissed. */
export function OneTimeSecret({ title, value, label, note, onDone }: Props) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <section ref={box} tabIndex={-1} aria-label={title} className={styles.secret}>
      <p>
        <strong>{title}</strong>
      </p>
      <CodeBlock code={value} label={label} wrap />
      <p>{note}</p>
      <p>
        <Button onClick={onDone}>I’ve stored it</Button>
      </p>
    </section>
  );
}
