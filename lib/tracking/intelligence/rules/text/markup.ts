/** A tag of HTML or JSX: its range in the line, its name in lowercase, and its attributes with literal values. */
type Tag = { start: number; end: number; name: string; attributes: Map<string, string> };

/** Longest tag, and most tags of a line that are read. */
const [maxTagLength, maxTagCount] = [1_000, 20];

const tagName = /^<\/?([a-z][\w.:-]{0,60})(?=[\s/>])/i;
const attribute = /([\w:-]{1,60})\s?=\s?(?:"([^"]{0,500})"|'([^']{0,500})'|\{["'`]([^"'`{}]{0,500})["'`]\})/g;

/** Returns the position after the tag that starts at `start`, or -1. Quotes and braces may contain angle brackets. */
function endOfTag(line: string, start: number): number {
  let quote = "";
  let depth = 0;
  for (let at = start + 1; at < line.length && at < start + maxTagLength; at++) {
    const character = line[at]!;
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === '"' || (character === "'" && line[at - 1] === "=")) quote = character;
    else if (character === "{") depth++;
    else if (character === "}") depth--;
    else if (depth <= 0 && character === ">") return at + 1;
    else if (depth <= 0 && character === "<") return -1;
  }
  return -1;
}

/** Returns the tags of a line. */
function tagsOf(line: string): Tag[] {
  const tags: Tag[] = [];
  let tried = 0;
  for (let start = line.indexOf("<"); start >= 0 && tried < maxTagCount; tried++) {
    const name = tagName.exec(line.slice(start, start + 64))?.[1];
    const end = name === undefined ? -1 : endOfTag(line, start);
    if (end > 0) {
      const attributes = [...line.slice(start, end).matchAll(attribute)].map(
        ([, key, ...values]) => [key!.toLowerCase(), values.find((value) => value !== undefined) ?? ""] as const,
      );
      tags.push({ start, end, name: name!.toLowerCase(), attributes: new Map(attributes) });
    }
    start = line.indexOf("<", end > 0 ? end : start + 1);
  }
  return tags;
}

/** The words that a tag shows: the title of a card, the name of a documented parameter. */
const shownBy = ({ attributes }: Tag): string => {
  const shown = attributes.get("title") ?? attributes.get("label") ?? attributes.get("path") ?? "";
  return shown === "" ? " " : ` ${shown} `;
};

/** A line of a tag that is written over several lines: only an attribute. */
const attributeLine = /^\s*([\w:-]{1,60})=(?:"([^"]*)"|'([^']*)'|\{.*\})\s*\/?>?\s*$/;

const plainTag = /<\/?[a-z][\w.:-]{0,60}\s?\/?>/gi;

/** A space in JSX: `{" "}`. */
const jsxSpace = /\{(["'])\s*\1\}/g;

/** Returns a line of markdown as read by people: without the tags of HTML and JSX, but with the titles that they show. */
export function withoutTags(line: string): string {
  const only = attributeLine.exec(line);
  if (only) return /^(?:title|description|label)$/i.test(only[1]!) ? (only[2] ?? only[3] ?? "") : "";
  const spaced = line.replace(jsxSpace, " ");
  if (!spaced.includes("<")) return spaced;
  const simple = spaced.replace(plainTag, " ");
  let text = "";
  let at = 0;
  for (const tag of tagsOf(simple)) {
    text += simple.slice(at, tag.start) + shownBy(tag);
    at = tag.end;
  }
  return text + simple.slice(at);
}

/** Returns the links of the tags in a line: `<a href="…">title</a>` and `<Card title="…" href="…">`. */
export function tagLinksOf(line: string): { title: string; target: string }[] {
  const only = attributeLine.exec(line);
  if (only?.[1]?.toLowerCase() === "href")
    return [{ title: "", target: only[2] ?? only[3] ?? "" }].filter(
      ({ target }) => target !== "" && !/[\s$]/.test(target),
    );
  if (!/\shref\s?=/i.test(line)) return [];
  const tags = tagsOf(line);
  return tags.flatMap((tag, index) => {
    const target = tag.attributes.get("href");
    if (!target || /[\s$]/.test(target)) return [];
    const inside = line.slice(tag.end, tags[index + 1]?.start ?? line.length);
    const own = line.startsWith("/>", tag.end - 2) ? "" : inside;
    return [{ title: tag.attributes.get("title") ?? own.slice(0, 300), target }];
  });
}

/** Longest front matter, in UTF-16 code units. */
const maxFrontMatterLength = 20_000;

/** Returns the front matter at the beginning of a file, with its fences and the title in it; empty without one. */
export function frontMatterOf(text: string): { length: number; lineCount: number; title: string } {
  const none = { length: 0, lineCount: 0, title: "" };
  if (!/^---\r?\n/.test(text)) return none;
  const end = /\n---[ \t]*\r?(?:\n|$)/.exec(text.slice(0, maxFrontMatterLength));
  if (!end) return none;
  const length = end.index + end[0].length;
  const matter = text.slice(0, length);
  const title = /^title:[ \t]*(.{1,300}?)[ \t]*\r?$/m.exec(matter)?.[1] ?? "";
  return { length, lineCount: matter.split("\n").length - 1, title: title.replace(/^(["'])(.*)\1$/, "$2") };
}

const banner =
  /^[\W_]*(?:this (?:file|page|document|index) (?:is|was|has been) (?:auto(?:matically)?[- ]?)?generated\b|(?:auto(?:matically)?[- ]?)?generated (?:by|on|at|from|with|using)\b|(?:last[- ]?)(?:updated|modified|generated|built)\b|updated ?at:|build (?:date|time|id)\b|fetch the complete documentation index at\b|use this file to discover all available pages\b|do not edit\b)/i;

/** Whether a line is a note of the generator of the file, such as the time of its last run. */
export const isBanner = (line: string) => line.length < 300 && banner.test(line);
