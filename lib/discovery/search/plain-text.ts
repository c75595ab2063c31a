const fence = /^ {0,3}(?:`{3,}|~{3,})/;
/** A thematic break, or the line under a table's header: only these characters, and three marks in a row. */
const ruleCharacters = /^[\s|:*_-]+$/;
const ruleMarks = /[-*_]{3}/;
const blockMarks = /^\s*(?:>\s?|#{1,6}\s+|[-*+]\s+|\d{1,9}[.)]\s+)+/;
/** A link or image; the bounds keep matching linear. */
const link = /!?\[([^[\]\n]{0,500})\]\([^()\s]{0,2000}(?:\s[^()\n]{0,300})?\)/g;
/** An escaped character, which is kept, or marks of emphasis and code, which are removed. */
const marks =
  /\\([\\`*_{}[\]()#+.!|-])|\*{2,3}|`+|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])|(?<!\w)_(?=\S)|(?<=\S)_(?!\w)/g;

function plainLine(line: string): string {
  if (ruleCharacters.test(line) && ruleMarks.test(line)) return "";
  const cells = line.trimStart().startsWith("|") ? line.replaceAll("|", " ") : line;
  return cells.replace(blockMarks, "").replace(link, "$1").replace(marks, "$1");
}

/** Returns markdown without its markup, line by line. Code stays unchanged. */
export function plainText(markdown: string): string {
  let isCode = false;
  const lines: string[] = [];
  for (const line of markdown.split("\n")) {
    if (fence.test(line)) isCode = !isCode;
    else lines.push(isCode ? line : plainLine(line));
  }
  return lines.join("\n");
}
