export const markdownCell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ");

/** Returns a table in Markdown, line by line. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map(markdownCell).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)];
}
