/** Fenced or inline code, marks included, as a range of UTF-16 code units. */
export type CodeRange = { start: number; end: number; isFence: boolean };

/** A line that starts, after list and quote marks, with three backticks or tildes. */
type Fence = { start: number; end: number; length: number; mark: string; canClose: boolean };

const fenceLine = /^[ \t>*+-]{0,24}(`{3,}|~{3,})([^\n]*)$/gm;

function readFences(text: string): Fence[] {
  const fences: Fence[] = [];
  for (const { index, 0: line, 1: marks = "", 2: info = "" } of text.matchAll(fenceLine)) {
    const mark = marks[0]!;
    if (mark === "`" && info.includes("`")) continue;
    fences.push({ start: index, end: index + line.length, length: marks.length, mark, canClose: info.trim() === "" });
  }
  return fences;
}

/**
 * Yields fenced code. An unclosed fence opens nothing, so that a stray mark cannot hide the rest of a file: `longest` has, for
 * each fence, the length of the longest one after it that can close it.
 */
function* findFenced(text: string): Generator<CodeRange> {
  const fences = readFences(text);
  const longestOf: Record<string, number> = {};
  const longest = fences.map(() => 0);
  for (let at = fences.length - 1; at >= 0; at--) {
    const { mark, length, canClose } = fences[at]!;
    longest[at] = longestOf[mark] ?? 0;
    if (canClose) longestOf[mark] = Math.max(longest[at]!, length);
  }
  for (let open = 0; open < fences.length; open++) {
    const { start, mark, length } = fences[open]!;
    if (longest[open]! < length) continue;
    let close = open + 1;
    while (!fences[close]!.canClose || fences[close]!.mark !== mark || fences[close]!.length < length) close++;
    yield { start, end: fences[close]!.end, isFence: true };
    open = close;
  }
}

/** Yields the code of a line: from each run of backticks to the next run of the same length. */
function* findInline(line: string, start: number): Generator<CodeRange> {
  const runs = [...line.matchAll(/`+/g)];
  const partners = new Int32Array(runs.length);
  const next = new Map<number, number>();
  for (let run = runs.length - 1; run >= 0; run--) {
    const { length } = runs[run]![0];
    partners[run] = next.get(length) ?? -1;
    next.set(length, run);
  }
  for (let run = 0; run < runs.length; run++) {
    const partner = partners[run]!;
    if (partner < 0) continue;
    const { index, 0: marks } = runs[partner]!;
    yield { start: start + runs[run]!.index, end: start + index + marks.length, isFence: false };
    run = partner;
  }
}

/** Returns the code of a text, in order. Inline code ends on its line. */
export function findCode(text: string): CodeRange[] {
  if (!text.includes("`") && !text.includes("~~~")) return [];
  const ranges: CodeRange[] = [];
  let from = 0;
  const addInline = (to: number) => {
    for (let at = text.indexOf("`", from); at >= 0 && at < to; at = text.indexOf("`", from)) {
      const feed = text.indexOf("\n", at);
      const end = feed < 0 || feed > to ? to : feed;
      for (const range of findInline(text.slice(at, end), at)) ranges.push(range);
      from = end + 1;
    }
    from = to;
  };
  for (const fenced of findFenced(text)) {
    addInline(fenced.start);
    ranges.push(fenced);
    from = fenced.end;
  }
  addInline(text.length);
  return ranges;
}

/** Returns the text with code replaced by spaces; line ends and every other character keep their position. */
export function maskCode(text: string, ranges: readonly CodeRange[]): string {
  let [masked, from] = ["", 0];
  for (const { start, end } of ranges) {
    masked += text.slice(from, start) + text.slice(start, end).replace(/[^\n]+/g, (line) => " ".repeat(line.length));
    from = end;
  }
  return masked + text.slice(from);
}
