/** Fence lines of a text; each fence has the same index in every list. */
type Fences = { starts: number[]; ends: number[]; lengths: number[]; marks: number[]; canClose: boolean[] };

/** Most list marks, quote marks and spaces before a fence, in characters. */
const maxIndentLength = 24;
const minFenceLength = 3;
const [newline, space, backtick, tilde] = [10, 32, 96, 126];
const indents = new Set([..." \t>*+-"].map((character) => character.charCodeAt(0)));

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

function skipMark(text: string, at: number, mark: number): number {
  let end = at;
  while (text.charCodeAt(end) === mark) end++;
  return end;
}

/** Returns lines that start, after list and quote marks, with three backticks or tildes. */
function readFences(text: string): Fences {
  const fences: Fences = { starts: [], ends: [], lengths: [], marks: [], canClose: [] };
  for (let start = 0; start < text.length; ) {
    const lineEnd = endOfLine(text, start);
    let at = start;
    while (at < start + maxIndentLength && indents.has(text.charCodeAt(at))) at++;
    const mark = text.charCodeAt(at);
    const markEnd = mark === backtick || mark === tilde ? skipMark(text, at, mark) : at;
    if (markEnd - at >= minFenceLength) {
      const info = markEnd === lineEnd ? "" : text.slice(markEnd, lineEnd);
      if (mark === tilde || !info.includes("`")) {
        fences.starts.push(start);
        fences.ends.push(lineEnd);
        fences.lengths.push(markEnd - at);
        fences.marks.push(mark);
        fences.canClose.push(info.trim() === "");
      }
    }
    start = lineEnd + 1;
  }
  return fences;
}

/** Returns for each fence the length of the longest possible closer of the same mark at or after it. */
function longestClosers({ lengths, marks, canClose }: Fences): Int32Array {
  const longest = new Int32Array(128);
  const closers = new Int32Array(lengths.length);
  for (let fence = lengths.length - 1; fence >= 0; fence--) {
    const mark = marks[fence]!;
    if (canClose[fence]) longest[mark] = Math.max(longest[mark]!, lengths[fence]!);
    closers[fence] = longest[mark]!;
  }
  return closers;
}

/**
 * Calls `visit` with each range of fenced code, fences included, in order. An unclosed fence opens nothing, so that a
 * stray mark cannot hide the rest of a file.
 */
function visitFenced(text: string, visit: (start: number, end: number) => void): void {
  const fences = readFences(text);
  const closers = longestClosers(fences);
  const { starts, ends, lengths, marks, canClose } = fences;
  for (let fence = 0; fence < starts.length; fence++) {
    const closes = (other: number) =>
      canClose[other]! && marks[other] === marks[fence] && lengths[other]! >= lengths[fence]!;
    let close = fence + 1;
    while (close < starts.length && marks[close] !== marks[fence]) close++;
    if (close === starts.length || closers[close]! < lengths[fence]!) continue;
    while (!closes(close)) close++;
    visit(starts[fence]!, ends[close]!);
    fence = close;
  }
}

/** Runs of backticks on one line. */
type Runs = { starts: number[]; lengths: number[] };

type FindBacktick = (from: number) => number;

/** Returns a search for the first backtick from positions that never decrease. All its calls together read the text once. */
function backtickSearch(text: string): FindBacktick {
  let found = text.indexOf("`");
  return (from) => {
    if (found >= 0 && found < from) found = text.indexOf("`", from);
    return found < 0 ? text.length : found;
  };
}

function readRuns(text: string, findBacktick: FindBacktick, start: number, end: number): Runs {
  const runs: Runs = { starts: [], lengths: [] };
  for (let at = findBacktick(start); at < end; ) {
    const runEnd = skipMark(text, at, backtick);
    runs.starts.push(at);
    runs.lengths.push(runEnd - at);
    at = findBacktick(runEnd);
  }
  return runs;
}

/** Calls `visit` with each range of code between a run and the next run of the same length. */
function visitInline({ starts, lengths }: Runs, visit: (start: number, end: number) => void): void {
  if (starts.length < 2) return;
  const partners = new Int32Array(starts.length);
  const next = new Map<number, number>();
  for (let run = starts.length - 1; run >= 0; run--) {
    partners[run] = next.get(lengths[run]!) ?? -1;
    next.set(lengths[run]!, run);
  }
  for (let run = 0; run < starts.length; run++) {
    const partner = partners[run]!;
    if (partner < 0) continue;
    visit(starts[run]!, starts[partner]! + lengths[partner]!);
    run = partner;
  }
}

/** Returns the text with fenced and inline code replaced by spaces; every other character keeps its position. */
export function maskCode(text: string): string {
  if (!text.includes("`") && !text.includes("~~~")) return text;
  const units = new Uint16Array(text.length);
  for (let index = 0; index < text.length; index++) units[index] = text.charCodeAt(index);
  const blank = (start: number, end: number) => {
    for (let index = start; index < end; index++) if (units[index] !== newline) units[index] = space;
  };
  const findBacktick = backtickSearch(text);
  const blankInline = (start: number, end: number) => {
    for (let at = findBacktick(start); at < end; ) {
      const lineEnd = Math.min(end, endOfLine(text, at));
      visitInline(readRuns(text, findBacktick, at, lineEnd), blank);
      at = findBacktick(lineEnd);
    }
  };
  let from = 0;
  visitFenced(text, (start, end) => {
    blankInline(from, start);
    blank(start, end);
    from = end;
  });
  blankInline(from, text.length);
  return Buffer.from(units.buffer).toString("utf16le");
}
