/** Characters that XML 1.0 forbids even escaped: most control characters, lone surrogates, U+FFFE and U+FFFF. */
const forbidden = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Includes white space, because parsers replace it with spaces in attributes and drop carriage returns. */
const references: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

/** Escapes a text for an element or attribute of XML or HTML, and removes characters that XML forbids. */
export function escapeMarkup(text: string): string {
  return text.replace(forbidden, "").replace(/[&<>"'\t\n\r]/g, (character) => references[character] as string);
}
