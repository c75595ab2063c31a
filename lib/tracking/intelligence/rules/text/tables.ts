/** A table of markdown: the cells of its header, and the lines of its rows, counted from 0. */
export type Table = { first: number; last: number; header: string[] };

/** Most tables and columns that are read, and the longest header row in UTF-16 code units. */
const [maxTableCount, maxColumnCount, maxRowLength] = [5_000, 30, 2_000];

/** The line below a header: `|---|:--:|`. */
const isRule = (row: string) => row.length <= maxRowLength && /^[|\s:-]+$/.test(row) && /-\s*:?\s*\|/.test(row);

/** Returns the cells of a table row, without the bars around it. An escaped bar is part of a cell. */
export function cellsOf(row: string): string[] {
  const inner = row.trim().replace(/^\||(?<!\\)\|$/g, "");
  return inner
    .split(/(?<!\\)\|/)
    .slice(0, maxColumnCount)
    .map((cell) => cell.trim());
}

/** Returns the tables of a text that have a header, in order. Runs in linear time. */
export function tablesOf(text: string): Table[] {
  if (!text.includes("|")) return [];
  const tables: Table[] = [];
  let open: Table | undefined;
  let previous = "";
  let line = 0;
  for (let start = 0; start <= text.length && tables.length < maxTableCount; line++) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const row = text.slice(start, Math.min(end, start + maxRowLength + 1));
    start = end + 1;
    if (open && row.includes("|")) open.last = line;
    else open = undefined;
    if (!open && isRule(row) && previous.includes("|")) {
      open = { first: line + 1, last: line, header: cellsOf(previous) };
      tables.push(open);
    }
    previous = row;
  }
  return tables;
}
