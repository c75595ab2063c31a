/** How much of a text is looked at, in characters: for the tags of a document, and for the share of all tags. */
const startLength = 2_000;
const sampleLength = 100_000;
/** Share of tags among what is no white space. Real llms.txt files reach 5 %. */
const maxTagShare = 0.2;
const minTagCount = 10;

/** Tags that only a whole document has. */
const documentTags = /<!doctype\s{1,10}html|<html[\s>]/i;
/** What pages without those begin with, such as the ones that only run a script. */
const headTags = /^<(?:head|body|script|meta|title|link|style|noscript|frameset)[\s>]/i;
const tags =
  /<\/?(?:a|article|aside|b|br|button|code|div|em|footer|form|h[1-6]|header|hr|i|img|input|label|li|link|main|meta|nav|ol|option|p|path|pre|script|section|select|small|span|strong|style|svg|table|tbody|td|th|thead|title|tr|ul)(?:\s[^<>]{0,1000})?\/?>/gi;
/** A heading, a list of links or a link: markdown, whatever tags stand in it. */
const markdown = /^#{1,6} |^[ \t]{0,40}[-*+] +\[|\]\((?:https?:|\/)/m;

/** A text without fenced and inline code, where markdown quotes HTML. */
function withoutCode(text: string): string {
  const lines: string[] = [];
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined && mark === undefined) lines.push(line.replace(/`[^`]{0,1000}`/g, ""));
    else if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence)) fence = undefined;
  }
  return lines.join("\n");
}

/** A text from where its content begins: without byte-order mark, XML declaration and comments. */
function contentOf(text: string): string {
  let rest = text.trimStart();
  for (;;) {
    const end = rest.startsWith("<!--") ? "-->" : rest.startsWith("<?") ? "?>" : undefined;
    const at = end === undefined ? -1 : rest.indexOf(end);
    if (end === undefined || at < 0) return rest;
    rest = rest.slice(at + end.length).trimStart();
  }
}

function isMostlyTags(sample: string): boolean {
  const found = sample.match(tags) ?? [];
  const tagLength = found.reduce((sum, tag) => sum + tag.length, 0);
  const wholeLength = sample.replace(/\s+/g, "").length;
  return found.length >= minTagCount && tagLength > wholeLength * maxTagShare;
}

/**
 * Whether a text is an HTML page, by its content alone: half of what answers to `/llms.txt` is one, often with status
 * 200 and a plain type. Markdown that quotes HTML or uses some is none.
 */
export function isHtml(text: string): boolean {
  const content = contentOf(text);
  const start = withoutCode(content.slice(0, startLength));
  const tagAt = start.search(documentTags);
  if (tagAt >= 0 && !markdown.test(start.slice(0, tagAt))) return true;
  const sample = withoutCode(content.slice(0, sampleLength));
  if (markdown.test(sample)) return false;
  return headTags.test(sample) || isMostlyTags(sample);
}
