"use client";

import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import styles from "./tabs.module.css";

export type Tab = { id: string; title: string; content: ReactNode };

const steps: Record<string, (index: number, count: number) => number> = {
  ArrowRight: (index, count) => (index + 1) % count,
  ArrowLeft: (index, count) => (index + count - 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

type Props = {
  label: string;
  tabs: readonly Tab[];
  /** Whether a panel's content is created when it is first opened, for content that sends requests. */
  isLazy?: boolean;
};

/** Tabs with arrow-key navigation. Without JavaScript all panels are shown, one below the other; lazy ones but the first are empty. */
export function Tabs({ label, tabs, isLazy = false }: Props) {
  const [selected, setSelected] = useState(0);
  const [opened, setOpened] = useState<readonly number[]>([0]);
  const select = (index: number) => {
    setSelected(index);
    if (!opened.includes(index)) setOpened([...opened, index]);
  };
  const prefix = useId();
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = steps[event.key]?.(selected, tabs.length);
    if (next === undefined) return;
    event.preventDefault();
    select(next);
    list.current?.querySelectorAll("button")[next]?.focus();
  };
  return (
    <div>
      <div ref={list} role="tablist" aria-label={label} className={`${styles.list} scripted`} onKeyDown={onKeyDown}>
        {tabs.map(({ id, title }, index) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`${prefix}${id}-tab`}
            aria-controls={`${prefix}${id}`}
            aria-selected={index === selected}
            tabIndex={index === selected ? 0 : -1}
            className={styles.tab}
            onClick={() => select(index)}
          >
            {title}
          </button>
        ))}
      </div>
      {tabs.map(({ id, content }, index) => (
        <div
          key={id}
          role="tabpanel"
          id={`${prefix}${id}`}
          aria-labelledby={`${prefix}${id}-tab`}
          hidden={index !== selected}
          className={styles.panel}
        >
          {(!isLazy || opened.includes(index)) && content}
        </div>
      ))}
    </div>
  );
}
