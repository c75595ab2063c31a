const fence = /^ {0,3}(?:`{3,}|~{3,})/;
/** A thematic break, or the line under a table's header: only these characters, and three marks in a row. */
const ruleCharacters = /^[\s|:*_-]+$/;
const ruleMarks = /[-*_]{3}/;
const blockMarks = /^\s*(?:>\s?|#{1,6}\s+|[-*+]\s+|\d{1,9}[.)]\s+)+/;
/**
 * In one line or several: code, which is kept as it is; a link or image, of which its text is kept; an escaped character, which
 * is kept; or marks of emphasis, which are removed. The bounds keep matching linear.
 */
const code = /(?<!`)(`{1,2})(?!`)((?:[^`]|(?<!`)`(?!`)){1,300}?)(?<!`)\1(?!`)/;
const link = /!?\[((?:[^[\]`]|`[^`]{0,300}`){0,500})\]\([^()\s]{0,2000}(?:\s[^()\n]{0,300})?\)/;
const escaped = /\\([\\`*_{}[\]()#+.!|-])/;
const marks = /\*{2,3}|`+|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])|(?<!\w)_(?=\S)|(?<=\S)_(?!\w)/;
const inline = new RegExp([code, link, escaped, marks].map(({ source }) => source).join("|"), "g");

/** Returns a row of a table as its cells: `| a | b |` is `a · b;`. */
function plainRow(row: string): string {
  const cells = row.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
  return `${cells.filter((cell) => cell !== "").join(" · ")};`;
}

/** Returns a line without the marks of its block. */
function plainLine(line: string): string {
  if (ruleCharacters.test(line) && ruleMarks.test(line)) return "";
  return line.trimStart().startsWith("|") ? plainRow(line) : line.replace(blockMarks, "");
}

function plainInline(text: string): string {
  return text.replace(inline, (_match, _fence, verbatim?: string, label?: string, character?: string) => {
    if (verbatim !== undefined) return verbatim.replace(/^ (.*\S.*) $/s, "$1");
    return label === undefined ? (character ?? "") : plainInline(label);
  });
}

/** Returns markdown without its markup. Code stays unchanged. */
export function plainText(markdown: string): string {
  let isCode = false;
  const parts: string[] = [];
  let paragraph: string[] = [];
  const endParagraph = () => {
    if (paragraph.length > 0) parts.push(plainInline(paragraph.join("\n")));
    paragraph = [];
  };
  for (const line of markdown.split("\n")) {
    const isFence = fence.test(line);
    if (isFence) isCode = !isCode;
    const plain = isFence || isCode ? "" : plainLine(line);
    if (plain.trim() !== "") paragraph.push(plain);
    else {
      endParagraph();
      if (!isFence) parts.push(isCode ? line : "");
    }
  }
  endParagraph();
  return parts.join("\n");
}
