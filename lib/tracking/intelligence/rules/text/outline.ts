import { frontMatterOf } from "./markup";
import { nameOf } from "./plain-text";
import { type Table, tablesOf } from "./tables";

/** A heading with the content up to the next heading. Positions are in UTF-16 code units; lines count from 0. */
export type Section = {
  /** Names of the headings, such as `Guides > Auth`; empty for the content before the first heading. */
  path: string;
  name: string;
  level: number;
  line: number;
  start: number;
  end: number;
  /** End of its last subsection. */
  treeEnd: number;
};

/** Fenced code: its first and last line, including the fences, and the language that its first line names. */
export type CodeBlock = { first: number; last: number; language: string };

/** Lines from a tag `<style>` to its end. */
type Style = { first: number; last: number };

export type Outline = {
  /** Title of the file; empty if there is none. */
  title: string;
  /** In order; the first one is the content before all headings. */
  sections: Section[];
  /** Ranges of fenced code, in order. */
  fences: CodeBlock[];
  /** Style sheets within the text, in order. */
  styles: Style[];
  /** Tables with a header, in order. */
  tables: Table[];
  /** Lines of front matter at the beginning. */
  metaLineCount: number;
};

/** Most sections; all further content belongs to the last one. */
const maxSectionCount = 5_000;
const maxHeadingLength = 400;
const minFenceLength = 3;
const [hash, space, tab, backtick, tilde, equals, lessThan] = [35, 32, 9, 96, 126, 61, 60];

/** Returns the length of the run of the code unit at `at`, up to `limit`. */
function countRun(text: string, at: number, limit: number): number {
  const unit = text.charCodeAt(at);
  let count = 0;
  while (count < limit && text.charCodeAt(at + count) === unit) count++;
  return count;
}

type Heading = { level: number; name: string; line: number; start: number };
type Fence = { mark: number; length: number; line: number; at: number; language: string };

/** Deepest indentation of a fence, which can be within lists and tags, and of a heading. */
const [maxFenceIndent, maxHeadingIndent] = [24, 3];
const maxLanguageLength = 30;

/** Returns the language in the rest of a fence's first line: `{.python}`, `ts title="a.ts"`. */
const languageIn = (info: string) =>
  (/^[\s{.]*([\w#+-]+)/.exec(info.slice(0, maxLanguageLength))?.[1] ?? "").toLowerCase();

/** Whether a line is the underline of a setext heading: only `=`. */
const isUnderline = (text: string, at: number, end: number) =>
  end - at >= 2 && end - at < maxHeadingLength && /^=+\s*$/.test(text.slice(at, end));

/** Returns headings and fences. `plainFrom` maps a fence's mark to the position from which it opens nothing. */
function scan(text: string, plainFrom: ReadonlyMap<number, number>, skipped: { length: number; lineCount: number }) {
  const headings: Heading[] = [];
  const fences: CodeBlock[] = [];
  const styles: Style[] = [];
  let open: Fence | undefined;
  let styleLine: number | undefined;
  let previous = { start: 0, end: 0 };
  let line = skipped.lineCount;
  for (let start = skipped.length; start < text.length; line++) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    let at = start;
    while (at < start + maxFenceIndent && (text.charCodeAt(at) === space || text.charCodeAt(at) === tab)) at++;
    const unit = text.charCodeAt(at);
    if (!open && unit === lessThan && text.startsWith("<style", at)) styleLine ??= line;
    if (styleLine !== undefined && text.slice(at, Math.min(end, at + maxHeadingLength)).includes("</style>")) {
      styles.push({ first: styleLine, last: line });
      styleLine = undefined;
    }
    if (unit === backtick || unit === tilde) {
      const length = countRun(text, at, end - at);
      const isPlain = at >= (plainFrom.get(unit) ?? Number.POSITIVE_INFINITY);
      if (open && open.mark === unit && length >= open.length && text.slice(at + length, end).trim() === "") {
        fences.push({ first: open.line, last: line, language: open.language });
        open = undefined;
      } else if (!open && length >= minFenceLength && !isPlain) {
        open = { mark: unit, length, line, at, language: languageIn(text.slice(at + length, end)) };
      }
    } else if (!open && headings.length < maxSectionCount) {
      if (unit === hash && at - start <= maxHeadingIndent && text.charCodeAt(start) !== tab) {
        const level = countRun(text, at, 7);
        const next = text.charCodeAt(at + level);
        const name =
          level < 7 && (next === space || next === tab)
            ? nameOf(text.slice(at + level, Math.min(end, at + maxHeadingLength)))
            : "";
        if (name) headings.push({ level, name, line, start });
      } else if (unit === equals && isUnderline(text, at, end)) {
        const name = nameOf(text.slice(previous.start, Math.min(previous.end, previous.start + maxHeadingLength)));
        if (name) headings.push({ level: 1, name, line: line - 1, start: previous.start });
      }
    }
    previous = { start, end };
    start = end + 1;
  }
  return { headings, fences, styles, open };
}

/** Sets each section's `treeEnd`. */
function closeTrees(sections: Section[]): void {
  const open: Section[] = [];
  for (const section of sections.slice(1)) {
    while (open.length > 0 && open.at(-1)!.level >= section.level) open.pop()!.treeEnd = section.start;
    open.push(section);
  }
}

/** Returns the headings of a text with their paths. An unclosed fence opens nothing. Runs in linear time. */
export function outlineOf(text: string): Outline {
  const plainFrom = new Map<number, number>();
  const matter = frontMatterOf(text);
  let scanned = scan(text, plainFrom, matter);
  while (scanned.open && !plainFrom.has(scanned.open.mark)) {
    plainFrom.set(scanned.open.mark, scanned.open.at);
    scanned = scan(text, plainFrom, matter);
  }
  const { headings, fences, styles } = scanned;
  const hasTitle = headings[0]?.level === 1;
  const title = hasTitle ? headings[0]!.name : nameOf(matter.title);
  const rest = hasTitle ? headings.slice(1) : headings;
  const root = { path: "", name: title, level: 0, line: 0, start: 0, treeEnd: text.length };
  const sections: Section[] = [{ ...root, end: rest[0]?.start ?? text.length }];
  const above: Heading[] = [];
  for (const [index, heading] of rest.entries()) {
    while (above.length > 0 && above.at(-1)!.level >= heading.level) above.pop();
    above.push(heading);
    const path = above.map(({ name }) => name).join(" > ");
    sections.push({ ...heading, path, end: rest[index + 1]?.start ?? text.length, treeEnd: text.length });
  }
  closeTrees(sections);
  return { title, sections, fences, styles, tables: tablesOf(text), metaLineCount: matter.lineCount };
}

/** Returns the index of the last entry of an ordered list at or before a line, by binary search. */
function findLastAtOrBefore<T>(list: readonly T[], lineOf: (entry: T) => number, line: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lineOf(list[middle]!) <= line) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Returns the section that contains a line. */
export function sectionAt({ sections }: Outline, line: number): Section {
  return sections[
    Math.max(
      0,
      findLastAtOrBefore(sections, (section) => section.line, line),
    )
  ]!;
}

/** Returns the fenced code that contains a line. */
export function codeBlockAt({ fences }: Outline, line: number): CodeBlock | undefined {
  const block = fences[findLastAtOrBefore(fences, ({ first }) => first, line)];
  return block && line <= block.last ? block : undefined;
}

/** Whether a line belongs to a style sheet. */
export function isStyleAt({ styles }: Outline, line: number): boolean {
  const style = styles[findLastAtOrBefore(styles, ({ first }) => first, line)];
  return style !== undefined && line <= style.last;
}

/** Returns the cells of the header of the table that a line is a row of; undefined for other lines. */
export function headerAt({ tables }: Outline, line: number): string[] | undefined {
  const table = tables[findLastAtOrBefore(tables, ({ first }) => first, line)];
  return table && line <= table.last ? table.header : undefined;
}
