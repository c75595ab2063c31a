import { parseUrl } from "#lib/platform/parse-url";
import type { ChangeRun } from "./mark-changes";
import { type Lines, mix, SpanList, SpanTable } from "./spans";

/** Longest link that counts, in UTF-16 code units. */
const maxLinkLength = 2_048;

const openers = "([{";
const closers = ")]}";
/**
 * Characters that end a link: white space, controls, hidden characters (\udb40 starts tag characters), quotes, and marks
 * around links in markdown, HTML, Chinese and Japanese text.
 */
const ends = /[\s\p{Cc}\p{Cf}\udb40"<>`|\\^\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uffef]/u;
/** Characters that do not belong to a link if they come last. */
const trailing = /[.,:;!?'*_~…([{\\]/;
/** Characters that a backslash escapes, in markdown and shells, without ending the link. */
const escapable = "&_*#~=?+-.!";
const escapes = /\\([&_*#~=?+\-.!])/g;
const [backslash, dollar, brace, apostrophe] = [92, 36, 123, 39];

/** Effect of each ASCII code unit on a link: 0 continues, 1 ends it, 2 to 4 open and 5 to 7 close a bracket. */
const actions = Uint8Array.from({ length: 128 }, (_, unit) => {
  const character = String.fromCharCode(unit);
  if (ends.test(character)) return 1;
  if (openers.includes(character)) return 2 + openers.indexOf(character);
  return closers.includes(character) ? 5 + closers.indexOf(character) : 0;
});
const isTrailing = Uint8Array.from({ length: 128 }, (_, unit) => (trailing.test(String.fromCharCode(unit)) ? 1 : 0));

/**
 * Returns the end of the run of link characters from `start`. A closing bracket that was not opened ends it too, a
 * template part (`${`), and an apostrophe if the link began after one.
 */
function endOfRun(text: string, start: number, isQuoted: boolean): number {
  const open = [0, 0, 0];
  let index = start;
  for (; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === backslash && escapable.includes(text.charAt(index + 1) || " ")) {
      index++;
      continue;
    }
    if (unit === dollar && text.charCodeAt(index + 1) === brace) break;
    if (unit === apostrophe && isQuoted) break;
    const action = unit < 128 ? actions[unit]! : ends.test(text[index]!) ? 1 : 0;
    if (action === 0) continue;
    if (action === 1) break;
    if (action < 5) open[action - 2]!++;
    else if (open[action - 5]!-- === 0) break;
  }
  return index;
}

/** Returns the end of a run without trailing punctuation. */
function trimRun(text: string, start: number, end: number): number {
  let last = end;
  for (; last > start; last--) {
    const unit = text.charCodeAt(last - 1);
    if (unit < 128 ? isTrailing[unit] === 0 : !trailing.test(text[last - 1]!)) break;
  }
  return last;
}

const isAt = (text: string, at: number, small: string) => (text.charCodeAt(at) | 32) === small.charCodeAt(0);

function isSchemeUnit(unit: number): boolean {
  const small = unit | 32;
  return (small >= 97 && small <= 122) || (unit >= 48 && unit <= 57) || unit === 43;
}

/** Returns the start of `http` or `https` that ends at `colon`, or -1, also if it ends a longer scheme or word. */
function startOfScheme(text: string, colon: number): number {
  const end = isAt(text, colon - 1, "s") ? colon - 1 : colon;
  const start = end - 4;
  if (start < 0 || !isAt(text, start, "h") || !isAt(text, start + 1, "t")) return -1;
  if (!isAt(text, start + 2, "t") || !isAt(text, start + 3, "p")) return -1;
  return start > 0 && isSchemeUnit(text.charCodeAt(start - 1)) ? -1 : start;
}

/** Links whose host has only plain labels, none numeric or encoded. They are valid; the others need the slower parser. */
const plainLink = /^https?:\/\/(?!xn--)[a-z][a-z0-9-]{0,62}(?:\.(?!xn--)[a-z][a-z0-9-]{0,62}){0,8}(?:[/?#]|$)/i;

/** Whether the text is a valid URL. */
function isLink(text: string): boolean {
  return plainLink.test(text) || parseUrl(text) !== undefined;
}

/**
 * Calls `visit` with the range of each candidate for an absolute http(s) URL between two indexes, neither of which may
 * be inside a URL. Candidates may be invalid or repeated.
 */
function visitLinks(text: string, from: number, to: number, visit: (start: number, end: number) => void): void {
  // Searches only the part, so that `indexOf` does not scan the rest of the text.
  const part = text.slice(from, to);
  for (let colon = part.indexOf("://"); colon >= 0; ) {
    const rest = colon + 3;
    const start = startOfScheme(part, colon);
    const runEnd = start < 0 ? rest : endOfRun(part, rest, part.charCodeAt(start - 1) === apostrophe);
    const end = trimRun(part, rest, runEnd);
    if (end > rest && end - start <= maxLinkLength) visit(from + start, from + end);
    colon = part.indexOf("://", runEnd);
  }
}

const withoutEscapes = (link: string) => (link.includes("\\") ? link.replace(escapes, "$1") : link);

/**
 * Returns the absolute http(s) URLs of a text as written but for escapes, in order of appearance: from markdown links,
 * in angle brackets or bare; without trailing punctuation, surrounding brackets, and all from a template part (`${`) on.
 * Runs in linear time.
 */
export function findLinks(text: string): Set<string> {
  const links = new Set<string>();
  visitLinks(text, 0, text.length, (start, end) => {
    const link = withoutEscapes(text.slice(start, end));
    if (isLink(link)) links.add(link);
  });
  return links;
}

/** Links that only one of the texts has, each once, in order of appearance. */
export type LinkChanges = { linksAdded: string[]; linksRemoved: string[] };

/** Candidates for links in parts of a text. */
class LinkSpans extends SpanList {
  constructor(
    text: string,
    readonly seed: number,
  ) {
    super(text);
  }

  addPart(from: number, to: number): void {
    visitLinks(this.text, from, to, (start, end) => {
      let hash = this.seed;
      for (let index = start; index < end; index++) hash = mix(hash, this.text.charCodeAt(index));
      this.add(start, end, hash);
    });
  }

  addLines({ starts, ends }: Lines, from: number, to: number): void {
    if (to > from) this.addPart(starts[from]!, ends[to - 1]!);
  }
}

/** Bits for the sides on which a link occurs. */
const [old, now] = [1, 2];

/** Compares the links of two texts. A link is within one line, so only changed lines can add or remove one. */
export function compareLinks(before: Lines, after: Lines, runs: readonly ChangeRun[], seed: number): LinkChanges {
  const removed = new LinkSpans(before.text, seed);
  const added = new LinkSpans(after.text, seed);
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of runs) {
    removed.addLines(before, beforeStart, beforeEnd);
    added.addLines(after, afterStart, afterEnd);
  }
  const table = new SpanTable();
  const [removedIds, addedIds] = [table.add(removed), table.add(added)];
  const sides = new Uint8Array(table.idCount);
  for (const id of removedIds) sides[id]! |= old;
  for (const id of addedIds) sides[id]! |= now;

  if (sides.some((side) => side === old || side === now)) {
    const kept = new LinkSpans(before.text, seed);
    let from = 0;
    for (const { beforeStart, beforeEnd } of runs) {
      if (beforeStart === beforeEnd) continue;
      kept.addPart(from, before.starts[beforeStart]!);
      from = before.ends[beforeEnd - 1]!;
    }
    kept.addPart(from, before.text.length);
    for (const id of table.find(kept)) if (id >= 0) sides[id] = old | now;
  }

  const changes = { added: [] as string[], removed: [] as string[] };
  let isEscaped = false;
  for (let id = 0; id < table.idCount; id++) {
    if (sides[id] === (old | now)) continue;
    const text = table.textOf(id);
    const link = withoutEscapes(text);
    if (link !== text) isEscaped = true;
    if (isLink(link)) (sides[id] === now ? changes.added : changes.removed).push(link);
  }
  if (!isEscaped) return { linksAdded: changes.added, linksRemoved: changes.removed };
  // The same link with and without escapes has two ids.
  const [linksAdded, linksRemoved] = [new Set(changes.added), new Set(changes.removed)];
  return {
    linksAdded: [...linksAdded].filter((link) => !linksRemoved.has(link)),
    linksRemoved: [...linksRemoved].filter((link) => !linksAdded.has(link)),
  };
}
