/** A part of a markdown text that can be parsed on its own. */
type MarkdownBlock = { offset: number; block: string };

const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/;
/** A line that can continue a block after a blank line: a list item or indented text. */
const continuation = /^(?:\s|[-+*](?:\s|$)|\d{1,9}[.)](?:\s|$))/;

/** Returns the code fence that is open after a line, or null. */
function fenceAfter(line: string, open: string | null): string | null {
  const [, marks = "", rest = ""] = fence.exec(line) ?? [];
  if (open === null) return marks.startsWith("`") && rest.includes("`") ? null : marks || null;
  return marks.startsWith(open) && rest.trim() === "" ? null : open;
}

/**
 * Splits markdown at blank lines that end a block: not within fenced code, nor before a list item or indented text. When a
 * text grows, all blocks except the last stay the same.
 */
export function splitBlocks(markdown: string): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let [start, offset] = [0, 0];
  let openFence: string | null = null;
  let isAfterBlank = false;
  for (const line of markdown.split("\n")) {
    if (isAfterBlank && openFence === null && line !== "" && !continuation.test(line)) {
      blocks.push({ offset: start, block: markdown.slice(start, offset) });
      start = offset;
    }
    openFence = fenceAfter(line, openFence);
    isAfterBlank = line.trim() === "";
    offset += line.length + 1;
  }
  blocks.push({ offset: start, block: markdown.slice(start) });
  return blocks;
}
