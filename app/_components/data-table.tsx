import type { ReactNode } from "react";
import styles from "./data-table.module.css";
import { scrollBox } from "./scroll-box";
import { ScrollCue } from "./scroll-cue";

export type Column = {
  key: string;
  title: string;
  /** Numbers are right-aligned. */
  isNumber?: boolean;
  /** Left out of the cards on narrow screens. */
  isMinor?: boolean;
};

export type Row = { key: string; cells: Readonly<Record<string, ReactNode>> };

type Props = {
  /** What the table shows; visible only with `showsCaption`. */
  caption: string;
  showsCaption?: boolean;
  columns: readonly Column[];
  rows: readonly Row[];
  /** On narrow screens, each row becomes a card with column titles instead of scrolling sideways. */
  stacks?: boolean;
};

/** A table in a box that scrolls sideways. The first column has the row headers. */
export function DataTable({ caption, showsCaption = false, columns, rows, stacks = false }: Props) {
  return (
    <div {...scrollBox(caption)} className={`${styles.box} scroll-box`}>
      <ScrollCue />
      <table className={`${styles.table} ${stacks ? styles.stacks : ""}`} data-stacks={stacks || undefined}>
        <caption className={showsCaption ? styles.caption : "visually-hidden"}>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ key, title, isNumber }) => (
              <th key={key} scope="col" className={isNumber ? styles.number : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              {columns.map(({ key, title, isNumber, isMinor }, index) => {
                const className = [isNumber && styles.number, isMinor && styles.minor].filter(Boolean).join(" ");
                const attributes = { className: className || undefined, "data-title": title };
                const cell = row.cells[key];
                return index === 0 ? (
                  <th key={key} scope="row" {...attributes}>
                    {cell}
                  </th>
                ) : (
                  <td key={key} {...attributes}>
                    {cell}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
