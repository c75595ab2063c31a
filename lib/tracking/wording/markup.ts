/** A tag of HTML or JSX, with literal attributes. A brace may contain angle brackets, but no brace. */
const tagPattern =
  /<\/?([a-z][\w.:-]{0,60})((?:\s+[\w:.-]{1,60}(?:\s?=\s?(?:"[^"]{0,500}"|'[^']{0,500}'|\{[^{}]{0,500}\}))?){0,20})\s*\/?>/gi;
/** A line of a tag that is written over several lines: only an attribute. */
const attributeLine = /^\s*([\w:-]{1,60})=(?:"([^"]*)"|'([^']*)'|\{.*\})\s*\/?>?\s*$/;

const jsxSpace = /\{(["'])\s*\1\}/g;

const attributeOf = (attributes: string, name: string): string =>
  new RegExp(`\\s${name}\\s?=\\s?(?:\\{\\s*)?(["'\`])([^"'\`]{0,500})\\1`, "i").exec(attributes)?.[2] ?? "";

const shownBy = (attributes: string) =>
  ["title", "label", "path"].map((name) => attributeOf(attributes, name)).find((value) => value !== "") ?? "";

/** Returns a line of markdown as read by people: without the tags of HTML and JSX, but with the titles that they show. */
export function withoutTags(line: string): string {
  const only = attributeLine.exec(line);
  if (only) return /^(?:title|description|label)$/i.test(only[1]!) ? (only[2] ?? only[3] ?? "") : "";
  return line.replace(jsxSpace, " ").replace(tagPattern, (_tag, _name, attributes) => ` ${shownBy(attributes)} `);
}

export function tagLinksOf(line: string): { title: string; target: string }[] {
  if (!/\bhref\s?=/i.test(line)) return [];
  const only = attributeLine.exec(line);
  const tags = only ? [] : [...line.matchAll(tagPattern)];
  const links = tags.map((tag, index) => {
    const start = tag.index + tag[0].length;
    const inside = tag[0].endsWith("/>") ? "" : line.slice(start, tags[index + 1]?.index ?? line.length);
    return { title: attributeOf(tag[2]!, "title") || inside.slice(0, 300), target: attributeOf(tag[2]!, "href") };
  });
  const own = only ? [{ title: "", target: only[2] ?? only[3] ?? "" }] : links;
  return own.filter(({ target }) => target !== "" && !/[\s$]/.test(target));
}

const maxFrontMatterLength = 20_000;

export function frontMatterOf(text: string): { lineCount: number; title: string } {
  const end = /^---\r?\n/.test(text) ? /\n---[ \t]*\r?(?:\n|$)/.exec(text.slice(0, maxFrontMatterLength)) : null;
  if (!end) return { lineCount: 0, title: "" };
  const matter = text.slice(0, end.index + end[0].length);
  const title = /^title:[ \t]*(.{1,300}?)[ \t]*\r?$/m.exec(matter)?.[1] ?? "";
  return { lineCount: matter.split("\n").length - 1, title: title.replace(/^(["'])(.*)\1$/, "$2") };
}

const banner =
  /^[\W_]*(?:this (?:file|page|document|index) (?:is|was|has been) (?:auto(?:matically)?[- ]?)?generated\b|(?:auto(?:matically)?[- ]?)?generated (?:by|on|at|from|with|using)\b|(?:last[- ]?)(?:updated|modified|generated|built)\b|updated ?at:|build (?:date|time|id)\b|fetch the complete documentation index at\b|use this file to discover all available pages\b|do not edit\b)/i;

export const isBanner = (line: string) => line.length < 300 && banner.test(line);
