import { printable, printableLines } from "#lib/platform/printable";

/** GitHub shows ten annotations of a kind for each step. */
export const maxAnnotationCount = 10;

const escapeMessage = (text: string) => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const escapeProperty = (text: string) => escapeMessage(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

export type Annotation = { isError: boolean; title: string; file: string; line?: number | undefined; texts: string[] };

/** Returns a workflow command that annotates a file in GitHub. */
export function annotationText({ isError, title, file, line, texts }: Annotation): string {
  const place = line === undefined ? "" : `,line=${line}`;
  const message = printableLines(texts.filter(Boolean).join("  "));
  return `::${isError ? "error" : "warning"} file=${escapeProperty(printable(file))}${place},title=${title}::${escapeMessage(message)}`;
}
