import { describe, expect, it } from "vitest";
import { countTerms, scoreBm25, tokenize } from "#lib/search/index";

describe("tokens", () => {
  it("are lower-case words of a-z0-9 longer than one character, without stopwords", () => {
    expect(tokenize("What is the NDA's term in 2026, a B2B-contract?")).toEqual([
      "nda",
      "term",
      "2026",
      "b2b",
      "contract",
    ]);
    expect(tokenize("the of and a 日本")).toEqual([]);
  });
});

describe("BM25", () => {
  const documents = ["lease lease break clause", "break notice", "bond duration and convexity of a bond", ""].map(
    (text) => countTerms(tokenize(text)),
  );
  const rank = (query: string) => scoreBm25(tokenize(query), documents);

  it("ranks what holds the rarer words first, and gives nothing to what holds none", () => {
    const [lease, notice, bond, empty] = rank("bond duration") as [number, number, number, number];
    expect(bond).toBeGreaterThan(0);
    expect([lease, notice, empty]).toEqual([0, 0, 0]);
    const scores = rank("lease break");
    expect(scores.indexOf(Math.max(...scores))).toBe(0);
  });

  it("weighs repeated query words more, and equals the formula on a document worked by hand", () => {
    expect((rank("bond bond")[2] as number) / (rank("bond")[2] as number)).toBeCloseTo(2);
    // 4 documents, one holds "notice": ln(1 + 3.5 / 1.5); length 2 of an average of (4 + 2 + 4 + 0) / 4.
    const expected = Math.log(1 + 3.5 / 1.5) * (2.2 / (1 + 1.2 * (0.25 + 0.75 * (2 / 2.5))));
    expect(rank("notice")[1]).toBeCloseTo(expected, 10);
  });

  it("is zero for an empty corpus or query", () => {
    expect(scoreBm25(["x"], [])).toEqual([]);
    expect(rank("")).toEqual([0, 0, 0, 0]);
  });
});
