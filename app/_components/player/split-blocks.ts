/** A stretch of markdown that means the same alone. */
export type MarkdownBlock = { offset: number; block: string };

const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/;
/** What may go on with the block before a blank line: a list, or what is indented. */
const continues = /^(?:\s|[-+*](?:\s|$)|\d{1,9}[.)](?:\s|$))/;

/** The fence that is open after a line. */
function fenceAfter(line: string, open: string | null): string | null {
  const [, marks = "", rest = ""] = fence.exec(line) ?? [];
  if (open === null) return marks.startsWith("`") && rest.includes("`") ? null : marks || null;
  return marks.startsWith(open) && rest.trim() === "" ? null : open;
}

/**
 * Cuts markdown where a blank line ends a block for good: not within fenced code, nor where a list or something
 * indented follows. A text that grows keeps all blocks but its last.
 */
export function splitBlocks(markdown: string): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let [start, offset] = [0, 0];
  let openFence: string | null = null;
  let isAfterBlank = false;
  for (const line of markdown.split("\n")) {
    if (isAfterBlank && openFence === null && line !== "" && !continues.test(line)) {
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
