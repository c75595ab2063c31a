import type { ChangeList } from "../schemas";
import { type ChangeListContext, type ChangeListInput, readChangeList } from "./list-changes";
import { changesHref } from "./query";

/** Most changes in a file. */
const maxChangeCount = 1_000;

type Change = ChangeList["changes"][number];
type Cell = string | number | null;

/** Columns of the CSV file. */
const columns: Record<string, (change: Change) => Cell> = {
  id: ({ id }) => id,
  created_at: ({ created_at }) => created_at,
  vendor: ({ vendor }) => vendor.slug,
  vendor_category: ({ vendor }) => vendor.category,
  lines_added: ({ lines_added }) => lines_added,
  lines_removed: ({ lines_removed }) => lines_removed,
  significance: ({ significance }) => significance,
  categories: ({ categories }) => categories?.join(" ") ?? null,
  summary: ({ summary }) => summary,
  models: ({ models }) => [...new Set(models.map(({ provider, id }) => `${provider}/${id}`))].join(" "),
  operations: ({ operations }) => operations.map(({ method, path }) => `${method} ${path}`).join("; "),
  url: ({ url }) => url,
};

/** Quotes a cell (RFC 4180). Text that a spreadsheet would run as a formula gets an apostrophe before it. */
function toCell(value: Cell): string {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const formats = {
  csv: (changes: readonly Change[]) =>
    [Object.keys(columns), ...changes.map((change) => Object.values(columns).map((column) => toCell(column(change))))]
      .map((cells) => `${cells.join(",")}\r\n`)
      .join(""),
  jsonl: (changes: readonly Change[]) => changes.map((change) => `${JSON.stringify(change)}\n`).join(""),
};

/** A file of changes; `headers` link to the file with the next ones. */
export type ChangeFile = { text: string; headers: Record<string, string> };

/** Returns the changes that match the filters as a file, newest first. */
export async function exportChanges(
  context: ChangeListContext,
  input: ChangeListInput,
  format: keyof typeof formats,
): Promise<ChangeFile> {
  const { changes, nextCursor } = await readChangeList(context, input, maxChangeCount);
  const { cursor: _, ...filters } = input.query;
  const next = nextCursor && changesHref(`${context.origin}/changes.${format}`, filters, nextCursor);
  return { text: formats[format](changes), headers: next ? { Link: `<${next}>; rel="next"` } : {} };
}
