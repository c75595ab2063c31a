import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareTexts, pairLines, parseUnified } from "#lib/tracking/diffs/index";
import { findDiffMoves, type HunkPart, maxPageLineCount, pageHunks } from "#lib/tracking/diffs/pages/page-hunks";
import { showHunks } from "#lib/tracking/diffs/pages/show-hunks";
import { pairs, versions } from "../texts";

const lines = (count: number, of: (line: number) => string) =>
  Array.from({ length: count }, (_, line) => `${of(line)}\n`);
const linesOf = (hunks: readonly HunkPart[]) => hunks.flatMap((hunk) => hunk.lines);

function pagesOf(diffText: string) {
  const first = pageHunks(diffText, 1);
  return Array.from({ length: first.pageCount }, (_, page) => pageHunks(diffText, page + 1));
}

/** Changes far enough apart to be separate hunks. */
function scattered(count: number): string {
  const before = lines(count * 10, (line) => `line ${line}`);
  const after = before.map((line, index) => (index % 10 === 5 ? `changed ${line}` : line));
  return compareTexts(before.join(""), after.join("")).text;
}

describe("the pages of a diff", () => {
  test("contain every line once, in order, and at most the limit per page", () => {
    for (const text of [scattered(200), compareTexts("", lines(1_001, String).join("")).text]) {
      const pages = pagesOf(text);
      expect(pages.length).toBeGreaterThan(2);
      expect(pages.flatMap(({ hunks }) => linesOf(hunks))).toEqual(parseUnified(text).flatMap((hunk) => hunk.lines));
      for (const { hunks } of pages) expect(linesOf(hunks).length).toBeLessThanOrEqual(maxPageLineCount);
    }
  });

  test("do not divide a hunk that fits on a page", () => {
    const text = scattered(200);
    const hunks = pagesOf(text).flatMap((page) => page.hunks);
    expect(hunks.map(({ oldStart }) => oldStart)).toEqual(parseUnified(text).map(({ oldStart }) => oldStart));
    expect(hunks.some(({ isContinued }) => isContinued)).toBe(false);
  });

  test("divide a longer hunk and mark its continuation", () => {
    const pages = pagesOf(compareTexts("", lines(maxPageLineCount + 1, String).join("")).text);
    expect(pages.map(({ hunks }) => hunks.map(({ isContinued, lines }) => [isContinued, lines.length]))).toEqual([
      [[false, maxPageLineCount]],
      [[true, 1]],
    ]);
    expect(pages[1]?.hunks[0]?.lines[0]).toMatchObject({ newLine: maxPageLineCount + 1, oldLine: null });
  });

  test("are one for a diff that just fits, and one empty page for an empty diff", () => {
    expect(pageHunks(compareTexts("", lines(maxPageLineCount, String).join("")).text, 1).pageCount).toBe(1);
    expect(pageHunks("", 1)).toEqual({ hunks: [], page: 1, pageCount: 1, hunkCount: 0, lineCount: 0 });
  });

  test("start at 1, and a page after the last is the last", () => {
    const text = scattered(200);
    expect(pageHunks(text, 99)).toEqual(pagesOf(text).at(-1));
    expect(pageHunks(text, 0)).toEqual(pageHunks(text, 1));
  });

  test("contain the lines of any diff", () => {
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        const { text } = compareTexts(before, after);
        expect(linesOf(pageHunks(text, 1).hunks)).toEqual(parseUnified(text).flatMap((hunk) => hunk.lines));
      }),
    );
  });
});

describe("moved blocks", () => {
  test("are found in a diff like between the texts", () => {
    fc.assert(
      fc.property(versions, ([before, after]) => {
        const { text, moved } = compareTexts(before, after);
        expect(findDiffMoves(text)).toEqual(moved);
      }),
    );
    const section = (name: string) =>
      lines(5, (line) => `- [${name} ${line}](https://docs.example.com/${name}/${line})`);
    const [guides, api, rest] = ["guides", "api", "rest"].map((name) => section(name).join(""));
    const { text, moved } = compareTexts(`${guides}${rest}${rest}${api}`, `${rest}${rest}${api}${guides}`);
    expect([moved.length, findDiffMoves(text)]).toEqual([1, moved]);
  });
});

const shown = (before: string, after: string) => {
  const { text, moved } = compareTexts(before, after);
  return showHunks(pageHunks(text, 1).hunks, moved);
};

describe("shown hunks", () => {
  test("mark the changed words of paired lines", () => {
    const [hunk] = shown("the limit is 8 MB\n", "the limit is 16 MB\nand more\n");
    expect(hunk?.lines.map(({ kind, parts }) => [kind, parts.map(({ text, isChanged }) => [text, isChanged])])).toEqual(
      [
        [
          "removed",
          [
            ["the limit is ", false],
            ["8", true],
            [" MB", false],
          ],
        ],
        [
          "added",
          [
            ["the limit is ", false],
            ["16", true],
            [" MB", false],
          ],
        ],
        ["added", [["and more", false]]],
      ],
    );
  });

  test("link moved lines to their other side, without marked words", () => {
    const block = lines(2, (line) => `- [Guide](https://docs.example.com/guides/${line}): start here`).join("");
    const others = lines(4, (line) => `- [Other](https://docs.example.com/others/${line}): go on`).join("");
    const all = shown(block + others, others + block).flatMap((hunk) => hunk.lines);
    const moves = all.filter(({ move }) => move !== null).map(({ kind, move }) => [kind, move]);
    expect(moves).toEqual([
      ...Array.from({ length: 2 }, () => ["removed", { firstLine: 5, lineCount: 2 }]),
      ...Array.from({ length: 2 }, () => ["added", { firstLine: 1, lineCount: 2 }]),
    ]);
    // The page notes a move once per object.
    expect(new Set(moves.map(([, move]) => move)).size).toBe(2);
  });

  test("show carriage returns only if not every line ends with one", () => {
    const texts = (before: string, after: string) =>
      shown(before, after).flatMap((hunk) => hunk.lines.map(({ parts }) => parts.map(({ text }) => text).join("")));
    expect(texts("a\r\nb\r\n", "a\r\nc\r\n")).toEqual(["a", "b", "c"]);
    expect(texts("a\nb\n", "a\r\nb\n")).toEqual(["a", "a[U+000D]", "b"]);
  });
});

describe("the side-by-side view", () => {
  test("shows context on both sides, and removed next to added lines", () => {
    const [hunk] = shown("a\nb\nc\nd\n", "a\nB\nX\nc\n");
    expect(pairLines(hunk!.lines).map(({ before, after }) => [before?.oldLine, after?.newLine])).toEqual([
      [1, 1],
      [2, 2],
      [undefined, 3],
      [3, 4],
      [4, undefined],
    ]);
  });

  test("has every line once on its side, in order", () => {
    fc.assert(
      fc.property(versions, ([before, after]) => {
        for (const { lines } of shown(before, after)) {
          const rows = pairLines(lines);
          expect(rows.flatMap((row) => row.before ?? [])).toEqual(lines.filter(({ kind }) => kind !== "added"));
          expect(rows.flatMap((row) => row.after ?? [])).toEqual(lines.filter(({ kind }) => kind !== "removed"));
        }
      }),
    );
  });
});
