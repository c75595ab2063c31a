import type { Element, Nodes, Root } from "hast";

/** A table with this many columns does not fit on a phone. */
const minColumnCount = 4;
/** A cell after the first that is longer is text, which is read as a card; numbers are compared in columns. In characters. */
const maxShortLength = 60;

const elementsIn = (node: Nodes, tagName: string): Element[] =>
  "children" in node
    ? node.children.flatMap((child) =>
        child.type === "element" && child.tagName === tagName ? [child] : elementsIn(child, tagName),
      )
    : [];

/** Marks a table whose rows become cards on narrow screens, and gives each cell the title of its column. */
function stackTable(table: Element, textOf: (node: Nodes) => string): void {
  const titles = elementsIn(table, "th").map(textOf);
  const rows = elementsIn(table, "tr").map((row) => elementsIn(row, "td"));
  const hasText = rows.some((cells) => cells.slice(1).some((cell) => textOf(cell).length > maxShortLength));
  if (titles.length < minColumnCount || !hasText) return;
  table.properties = { ...table.properties, dataStacks: true };
  for (const cells of rows) {
    for (const [index, cell] of cells.entries()) cell.properties = { ...cell.properties, dataTitle: titles[index] };
  }
}

/** A rehype plugin that marks the tables of text with many columns. */
export function stackTables(textOf: (node: Nodes) => string) {
  return () => (tree: Root) => {
    for (const table of elementsIn(tree, "table")) stackTable(table, textOf);
  };
}
