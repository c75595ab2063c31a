/** What XML 1.0 cannot hold, not even escaped: most control characters, lone surrogates, U+FFFE and U+FFFF. */
const forbidden = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** White space is escaped too: a parser would turn it into blanks in attributes, and drop a carriage return. */
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

/** A text as XML or HTML writes it, in an element or an attribute, without the characters that XML forbids. */
export function escapeMarkup(text: string): string {
  return text.replace(forbidden, "").replace(/[&<>"'\t\n\r]/g, (character) => references[character] as string);
}
