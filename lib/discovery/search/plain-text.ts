const fence = /^ {0,3}(?:`{3,}|~{3,})/;
/** The line under a table's head, or a rule: these characters alone, and three marks in a row. */
const ruleCharacters = /^[\s|:*_-]+$/;
const ruleMarks = /[-*_]{3}/;
const blockMarks = /^\s*(?:>\s?|#{1,6}\s+|[-*+]\s+|\d{1,9}[.)]\s+)+/;
/** A link or picture; the bounds keep the search for one linear. */
const link = /!?\[([^[\]\n]{0,500})\]\([^()\s]{0,2000}(?:\s[^()\n]{0,300})?\)/g;
/** An escaped character, which stays, or marks of emphasis and code, which go. */
const marks =
  /\\([\\`*_{}[\]()#+.!|-])|\*{2,3}|`+|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])|(?<!\w)_(?=\S)|(?<=\S)_(?!\w)/g;

function plainLine(line: string): string {
  if (ruleCharacters.test(line) && ruleMarks.test(line)) return "";
  const cells = line.trimStart().startsWith("|") ? line.replaceAll("|", " ") : line;
  return cells.replace(blockMarks, "").replace(link, "$1").replace(marks, "$1");
}

/** Markdown without its marks, line by line: what a reader of the rendered text would see. Code stays as it is. */
export function plainText(markdown: string): string {
  let isCode = false;
  const lines: string[] = [];
  for (const line of markdown.split("\n")) {
    if (fence.test(line)) isCode = !isCode;
    else lines.push(isCode ? line : plainLine(line));
  }
  return lines.join("\n");
}
