"use client";

import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { scrollBox } from "../../_components/scroll-box";

/** Rows and columns that a key moves by. */
const steps: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
};

/** The links to the line numbers, a list for each row that has any. */
function rowsOf(box: Element): HTMLAnchorElement[][] {
  const rows = [...box.querySelectorAll("tbody tr")].map((row) => [
    ...row.querySelectorAll<HTMLAnchorElement>("td[id] > a"),
  ]);
  return rows.filter((links) => links.length > 0);
}

/** Returns the link that a key moves to; undefined if it moves nowhere. The box itself is above the first row. */
function findNext(rows: HTMLAnchorElement[][], current: Element | null, key: string): HTMLAnchorElement | undefined {
  const columnOf = (links: HTMLAnchorElement[] = []) => links.findIndex((link) => link.isSameNode(current));
  if (key === "Home") return rows[0]?.[0];
  if (key === "End") return rows.at(-1)?.[0];
  const [down, right] = steps[key] ?? [0, 0];
  const row = rows.findIndex((links) => columnOf(links) !== -1);
  if (row === -1) return down === 1 ? rows[0]?.[0] : undefined;
  const links = rows[row + down] ?? [];
  const column = columnOf(rows[row]) + right;
  return down === 0 ? links[column] : links[Math.min(column, links.length - 1)];
}

type Props = { label: string; className?: string | undefined; children: ReactNode };

/**
 * The box of a diff: one tab stop, in which the arrow keys, Home and End move between the links of the line numbers. Without
 * JavaScript each link is a tab stop.
 */
export function LineKeys({ label, className, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  // Each time, because the rows change with the page of hunks and the view.
  useEffect(() => {
    for (const link of rowsOf(box.current as Element).flat()) link.tabIndex = -1;
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, target, altKey, ctrlKey, metaKey, shiftKey, currentTarget } = event;
    if (altKey || ctrlKey || metaKey || shiftKey || !(key in steps || key === "Home" || key === "End")) return;
    const isInside = target === currentTarget || (target instanceof Element && target.matches("td[id] > a"));
    const next = isInside ? findNext(rowsOf(currentTarget), document.activeElement, key) : undefined;
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the box has the role group, and its keys only move the focus.
    <div ref={box} {...scrollBox(label)} className={className} onKeyDown={onKeyDown}>
      {children}
    </div>
  );
}
