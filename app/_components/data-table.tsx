import type { ReactNode } from "react";
import styles from "./data-table.module.css";
import { ScrollCue, scrollBox } from "./scroll-box";

export type Column<Item> = {
  title: string;
  cell: (item: Item) => ReactNode;
  /** Numbers are right-aligned. */
  isNumber?: boolean;
  /** Left out of the cards on narrow screens. */
  isMinor?: boolean;
  /** Percentage of the table's width. If all columns have one, none moves while further rows arrive. */
  width?: number;
};

type Props<Item> = {
  /** What the table shows, for screen readers. */
  caption: string;
  columns: readonly Column<Item>[];
  items: readonly Item[];
  keyOf: (item: Item) => string;
  /** On narrow screens, each row becomes a card with column titles instead of scrolling sideways. */
  stacks?: boolean;
};

/** A table in a box that scrolls sideways. The first column has the row headers. */
export function DataTable<Item>({ caption, columns, items, keyOf, stacks }: Props<Item>) {
  return (
    <div {...scrollBox(caption)} className={`${styles.box} scroll-box`}>
      <ScrollCue />
      <table data-stacks={stacks} className={columns.every(({ width }) => width) ? styles.fixed : undefined}>
        <caption className="visually-hidden">{caption}</caption>
        <colgroup>
          {columns.map(({ title, width }) => (
            <col key={title} width={width && `${width}%`} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" className={isNumber ? styles.number : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)}>
              {columns.map(({ title, cell, isNumber, isMinor }, index) => {
                const className = [isNumber && styles.number, isMinor && styles.minor].filter(Boolean).join(" ");
                const [Tag, scope] = index === 0 ? (["th", "row"] as const) : (["td", undefined] as const);
                return (
                  <Tag key={title} scope={scope} className={className || undefined} data-title={title}>
                    {cell(item)}
                  </Tag>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
