import { frontMatterOf, nameOf } from "#lib/tracking/wording/index";

/** A heading with the lines below it. Lines count from 0; ends are exclusive. */
export type Section = {
  /** Names of the headings, such as `Guides > Auth`; empty for the content before the first heading. */
  path: string;
  level: number;
  line: number;
  treeEnd: number;
};

export type CodeBlock = { first: number; last: number; language: string };
type Table = { first: number; last: number; header: string[] };

export type Outline = {
  title: string;
  /** In order; the first one is the content before all headings. */
  sections: Section[];
  fences: CodeBlock[];
  tables: Table[];
  /** Lines that are not displayed: front matter and comments. */
  isHidden: (line: number) => boolean;
  lines: string[];
};

const maxSectionCount = 5_000;
const [maxHeadingLength, maxRowLength, maxColumnCount] = [400, 2_000, 30];

const fence = /^[ \t]{0,24}(`{3,}|~{3,})[\s{.]*([\w#+-]{0,30})(.*)$/;
const heading = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
const underline = /^={2,}\s*$/;
/** Comments of HTML and MDX that begin a line. */
const [commentStart, commentEnd] = [/^\s{0,8}(?:<!--|\{\/\*)/, /-->|\*\/\}/];
/** The line below a table's header: `|---|:--:|`. */
const isRule = (row: string) => row.length <= maxRowLength && /^[|\s:-]+$/.test(row) && /-\s*:?\s*\|/.test(row);

export function cellsOf(row: string): string[] {
  const inner = row.trim().replace(/^\||(?<!\\)\|$/g, "");
  const cells = inner.split(/(?<!\\)\|/).slice(0, maxColumnCount);
  return cells.map((cell) => cell.trim());
}

type Heading = { level: number; name: string; line: number };

/** Reads headings, fences and tables. `plain` maps a fence's mark to the line from which it opens nothing. */
function scan(lines: readonly string[], first: number, plain: ReadonlyMap<string, number>) {
  const headings: Heading[] = [];
  const fences: CodeBlock[] = [];
  const tables: Table[] = [];
  const comments = new Set<number>();
  let isComment = false;
  let open: { marks: string; line: number; language: string } | undefined;
  let table: Table | undefined;
  for (let line = first; line < lines.length; line++) {
    const text = lines[line]!;
    const [, marks, language, rest] = fence.exec(text.slice(0, maxHeadingLength)) ?? [];
    if (open) {
      if (marks?.startsWith(open.marks) && (language + rest!).trim() === "") {
        fences.push({ first: open.line, last: line, language: open.language });
        open = undefined;
      }
      continue;
    }
    if (marks && line < (plain.get(marks[0]!) ?? Number.POSITIVE_INFINITY)) {
      open = { marks, line, language: language!.toLowerCase() };
      continue;
    }
    isComment ||= commentStart.test(text);
    if (isComment) comments.add(line);
    isComment &&= !commentEnd.test(text);
    if (comments.has(line)) continue;
    if (table && text.includes("|")) table.last = line;
    else table = undefined;
    const previous = lines[line - 1] ?? "";
    if (!table && text.includes("|") && isRule(text) && previous.includes("|")) {
      table = { first: line + 1, last: line, header: cellsOf(previous.slice(0, maxRowLength)) };
      tables.push(table);
    }
    if (headings.length >= maxSectionCount) continue;
    const [, hashes, words] = heading.exec(text.slice(0, maxHeadingLength)) ?? [];
    const isUnderlined = line > first && underline.test(text.slice(0, maxHeadingLength));
    if (!hashes && !isUnderlined) continue;
    const name = nameOf(hashes ? words! : previous.slice(0, maxHeadingLength));
    if (name) headings.push(hashes ? { level: hashes.length, name, line } : { level: 1, name, line: line - 1 });
  }
  return { headings, fences, tables, comments, open };
}

/** Returns the headings, code and tables of a text. An unclosed fence opens nothing. Runs in linear time. */
export function outlineOf(text: string): Outline {
  const lines = text.split(/\r?\n/);
  const matter = frontMatterOf(text);
  const plain = new Map<string, number>();
  let scanned = scan(lines, matter.lineCount, plain);
  while (scanned.open) {
    plain.set(scanned.open.marks[0]!, scanned.open.line);
    scanned = scan(lines, matter.lineCount, plain);
  }
  const { headings, fences, tables, comments } = scanned;
  const hasTitle = headings[0]?.level === 1;
  const title = hasTitle ? headings[0]!.name : nameOf(matter.title);
  const sections: Section[] = [{ path: "", level: 0, line: 0, treeEnd: lines.length }];
  const above: { name: string; section: Section }[] = [];
  for (const { level, name, line } of hasTitle ? headings.slice(1) : headings) {
    while (above.length > 0 && above.at(-1)!.section.level >= level) above.pop()!.section.treeEnd = line;
    const section = { path: "", level, line, treeEnd: lines.length };
    above.push({ name, section });
    section.path = above.map((part) => part.name).join(" > ");
    sections.push(section);
  }
  const isHidden = (line: number) => line < matter.lineCount || comments.has(line);
  return { title, sections, fences, tables, isHidden, lines };
}

function lastBefore<T>(list: readonly T[], lineOf: (entry: T) => number, line: number): T | undefined {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lineOf(list[middle]!) <= line) low = middle + 1;
    else high = middle;
  }
  return list[low - 1];
}

const rangeAt = <T extends { first: number; last: number }>(ranges: readonly T[], line: number): T | undefined => {
  const range = lastBefore(ranges, ({ first }) => first, line);
  return range && line <= range.last ? range : undefined;
};

export const placeOf = ({ sections, fences, tables }: Outline, line: number) => ({
  path: lastBefore(sections, (section) => section.line, line)!.path,
  block: rangeAt(fences, line),
  header: rangeAt(tables, line)?.header,
});
