import type { JsonSchema } from "../convert-schema";

/** One way in which an operation fails. `code` is null where errors have the provider's shape. */
export type ErrorRow = { status: number; code: string | null; text: string };

type ErrorAnswer = { description: string; content?: Record<string, { example?: { code?: unknown } }> };

/** Where codes share a status, the document's description has each in front of its text. */
const listed = /`([a-z_]+)`: (.*?)(?= `[a-z_]+`: |$)/gs;

function rowsOf(status: number, { description, content = {} }: ErrorAnswer): ErrorRow[] {
  const { code } = Object.values(content)[0]?.example ?? {};
  const starts = description.startsWith("`") ? [...description.matchAll(listed)] : [];
  if (starts.length > 1) return starts.map(([, name = "", text = ""]) => ({ status, code: name, text }));
  return [{ status, code: typeof code === "string" ? code : null, text: description }];
}

/** The failures of an operation by status, each with its code. */
export function errorRows(responses: Readonly<Record<string, JsonSchema>>): ErrorRow[] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, answer]) => rowsOf(Number(status), answer as ErrorAnswer));
}
