export type CodeRange = { start: number; end: number; isFence: boolean };

type Fence = { start: number; end: number; length: number; mark: string; canClose: boolean };

const fenceLine = /^[ \t>*+-]{0,24}(`{3,}|~{3,})([^\n]*)$/gm;

/**
 * Yields fenced code. An unclosed fence opens nothing, so that a stray mark cannot hide the rest of a file: `longest` has, for
 * each fence, the length of the longest one after it that can close it.
 */
function* findFenced(text: string): Generator<CodeRange> {
  const fences: Fence[] = [];
  for (const { index: start, 0: line, 1: marks = "", 2: info = "" } of text.matchAll(fenceLine)) {
    const mark = marks[0]!;
    if (mark === "`" && info.includes("`")) continue;
    fences.push({ start, end: start + line.length, length: marks.length, mark, canClose: info.trim() === "" });
  }
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

/** Inline code, from a run of backticks to the next run of the same length on its line; longer text is none. */
const inline = /(?<!`)(`{1,100})(?!`)[^\n]{0,1000}?(?<!`)\1(?!`)/g;

export function findCode(text: string): CodeRange[] {
  if (!text.includes("`") && !text.includes("~~~")) return [];
  const ranges: CodeRange[] = [];
  let from = 0;
  for (const fenced of [...findFenced(text), undefined]) {
    for (const { index, 0: found } of text.slice(from, fenced?.start).matchAll(inline))
      ranges.push({ start: from + index, end: from + index + found.length, isFence: false });
    if (fenced) ranges.push(fenced);
    from = fenced?.end ?? from;
  }
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
