import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Parts, TermIndex } from "#lib/discovery/search/ranking/term-index";
import { queryTerms, termsOf } from "#lib/discovery/search/terms";

const [k1, b, headWeight] = [3, 0.75, 6];
const numbered = (a: number, b: number) => a - b;

/** Computes the scores by the formula of BM25F; documents that do not count have length factors of 1. */
function scoresByFormula(documents: ReadonlyMap<number, Parts>, query: string): Map<number, number> {
  const all = [...documents].map(([id, { head, body, weight = 1, isCounted = true }]) => {
    return { id, weight, isCounted, fields: [termsOf(body), termsOf(head)] };
  });
  const counted = all.filter(({ isCounted }) => isCounted);
  const averages = [0, 1].map((field) => {
    const total = counted.reduce((sum, { fields }) => sum + (fields[field]?.length ?? 0), 0);
    return Math.max(1, total / Math.max(1, counted.length));
  });
  const scores = new Map<number, number>();
  for (const [term, count] of queryTerms(query)) {
    const holders = counted.filter(({ fields }) => fields.some((terms) => terms.includes(term))).length;
    const idf = Math.log(1 + (counted.length - holders + 0.5) / (holders + 0.5));
    for (const { id, weight, isCounted, fields } of all) {
      const frequency = fields.reduce((sum, terms, field) => {
        const norm = isCounted ? 1 - b + (b * terms.length) / (averages[field] as number) : 1;
        return sum + ([1, headWeight][field] as number) * (terms.filter((other) => other === term).length / norm);
      }, 0);
      if (frequency === 0) continue;
      scores.set(id, (scores.get(id) ?? 0) + (count * idf * weight * frequency * (k1 + 1)) / (frequency + k1));
    }
  }
  return scores;
}

const vocabulary = ["lease", "break", "notice", "bond", "yield", "stream", "chunk", "replay", "key", "vendor"];
const text = fc.array(fc.constantFrom(...vocabulary), { maxLength: 40 }).map((words) => words.join(" "));
const shortText = fc.array(fc.constantFrom(...vocabulary), { maxLength: 4 }).map((words) => words.join(" "));
const parts: fc.Arbitrary<Parts> = fc.record({
  head: shortText,
  body: text,
  weight: fc.constantFrom(0.5, 1, 1.2),
  isCounted: fc.boolean(),
});

function expectSame(index: TermIndex, documents: ReadonlyMap<number, Parts>, query: string): void {
  const ranked = index.rank({ terms: queryTerms(query), limit: 10_000, compare: numbered });
  const expected = scoresByFormula(documents, query);
  expect(new Set(ranked.map(({ document }) => document))).toEqual(new Set(expected.keys()));
  for (const { document, score } of ranked) expect(score).toBeCloseTo(expected.get(document) as number, 9);
  const inOrder = ranked.every(({ document, score }, at) => {
    const next = ranked[at + 1];
    return !next || score > next.score || (score === next.score && document < next.document);
  });
  expect(inOrder).toBe(true);
}

describe("the index", () => {
  it("matches the formula on a document computed by hand", () => {
    const index = new TermIndex();
    for (const body of ["lease lease break clause", "break notice", "bond duration and convexity of a bond", ""]) {
      index.add({ head: "", body });
    }
    // 4 documents, one contains "notice": ln(1 + 3.5 / 1.5); length 2 of an average of (4 + 2 + 4 + 0) / 4.
    const frequency = 1 / (0.25 + 0.75 * (2 / 2.5));
    const expected = Math.log(1 + 3.5 / 1.5) * ((4 * frequency) / (3 + frequency));
    const rank = (query: string) => index.rank({ terms: queryTerms(query), limit: 9, compare: numbered });
    expect(rank("notice")).toEqual([{ document: 1, score: expect.closeTo(expected, 10) }]);
    expect((rank("bond bond")[0]?.score as number) / (rank("bond")[0]?.score as number)).toBeCloseTo(2);
    expect(rank("absent")).toEqual([]);
    expect(rank("")).toEqual([]);
    expect(new TermIndex().rank({ terms: queryTerms("bond"), limit: 9, compare: numbered })).toEqual([]);
  });

  it("finds a hyphenated word written together, and keys as a whole only", () => {
    const index = new TermIndex();
    index.add({ head: "Drop-in endpoints", body: "an e-mail of 2026-11-23", keys: ["stripecom"] });
    const find = (term: string) => index.rank({ terms: new Map([[term, 1]]), limit: 9, compare: numbered }).length;
    expect(["dropin", "email", "stripecom", "drop"].map(find)).toEqual([1, 1, 1, 1]);
    expect(find("202611")).toBe(0);
    expect([index.completionsOf("strip", 9), index.correctionsOf("stripecam", 9)]).toEqual([[], []]);
  });

  it("finds names by their beginnings, without what was removed, compacted or not", () => {
    const index = new TermIndex();
    const forge = { head: "Forgepipe", body: "", name: "Forgepipe" };
    const number = index.add(forge);
    index.add({ head: "Forgery", body: "the forged" });
    expect(index.namesWith("forge", 9)).toEqual(["forgepip"]);
    expect(index.namesWith("forgepipe", 9)).toEqual([]);
    expect(index.compacted().index.namesWith("forge", 9)).toEqual(["forgepip"]);
    index.remove(number, forge);
    expect(index.namesWith("forge", 9)).toEqual([]);
    expect(index.compacted().index.namesWith("forge", 9)).toEqual([]);
  });

  it("counts a word of a body at most as often as allowed", () => {
    const scoreOf = (count: number, maxBodyFrequency?: number) => {
      const index = new TermIndex();
      index.add({ head: "", body: "lease ".repeat(count), ...(maxBodyFrequency && { maxBodyFrequency }) });
      return index.compacted().index.rank({ terms: queryTerms("lease"), limit: 1, compare: numbered })[0]?.score;
    };
    expect(scoreOf(9, 5)).toBe(scoreOf(5));
    expect(scoreOf(3, 5)).toBe(scoreOf(3));
    expect(scoreOf(9)).toBeGreaterThan(scoreOf(5) as number);
  });

  it("ranks the counted documents the same, however many others there are", () => {
    fc.assert(
      fc.property(
        fc.array(parts, { maxLength: 20 }),
        fc.array(parts, { maxLength: 20 }),
        shortText,
        (some, others, query) => {
          const [alone, together] = [new TermIndex(), new TermIndex()];
          for (const value of some) alone.add({ ...value, isCounted: true });
          for (const value of some) together.add({ ...value, isCounted: true });
          for (const value of others) together.add({ ...value, isCounted: false });
          const rank = (index: TermIndex) => index.rank({ terms: queryTerms(query), limit: 100, compare: numbered });
          expect(rank(together).filter(({ document }) => document < some.length)).toEqual(rank(alone));
        },
      ),
    );
  });

  it("finds terms by a prefix or one edit of their words, the most frequent first, and none of removed ones", () => {
    const index = new TermIndex();
    const removed = { head: "", body: "leasehold lisp" };
    const number = index.add(removed);
    for (const body of ["lease leaf", "leaf lessor", "leap leaf", "leap"]) index.add({ head: "", body });
    index.remove(number, removed);
    expect(index.completionsOf("lea", 9)).toEqual(["leaf", "leap", "leas"]);
    expect(index.completionsOf("lea", 1)).toEqual(["leaf"]);
    expect(index.completionsOf("leafy", 9)).toEqual([]);
    // Replaced, swapped, inserted and deleted.
    for (const typo of ["leqf", "elaf", "lef", "leaaf"]) expect(index.correctionsOf(typo, 1)).toEqual(["leaf"]);
    expect(index.correctionsOf("faels", 9)).toEqual([]);
    expect(index.compacted().index.completionsOf("le", 9)).toEqual(["leaf", "leap", "leas", "lessor"]);
    expect(index.compacted().index.correctionsOf("leese", 9)).toEqual(["leas"]);
  });

  it("matches the formula for any documents, after any additions and removals, compacted or not", () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ add: parts }) },
      fc.record({ removeAt: fc.nat() }),
      fc.constant("compact" as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), shortText, (steps, query) => {
        let index = new TermIndex();
        let documents = new Map<number, Parts>();
        for (const one of steps) {
          if (one === "compact") {
            const { index: compacted, numbers } = index.compacted();
            documents = new Map([...documents].map(([id, value]) => [numbers[id] as number, value]));
            index = compacted;
            expect(index.removedCount).toBe(0);
          } else if ("add" in one) documents.set(index.add(one.add), one.add);
          else if (documents.size > 0) {
            const id = [...documents.keys()][one.removeAt % documents.size] as number;
            index.remove(id, documents.get(id) as Parts);
            documents.delete(id);
          }
        }
        expect(index.size).toBe(documents.size);
        expectSame(index, documents, query);
      }),
    );
  });

  it("reads long lists, high frequencies and large gaps as they were written", () => {
    const index = new TermIndex();
    const documents = new Map<number, Parts>();
    for (let number = 0; number < 3_000; number++) {
      const rare = number % 700 === 0 ? ` rare${" rare".repeat(number % 400)}` : "";
      const value = { head: number % 5 === 0 ? "common ".repeat(number % 400) : "", body: `common${rare}` };
      documents.set(index.add(value), value);
    }
    expectSame(index, documents, "rare");
    expectSame(index, documents, "common");
  });

  it("returns the best by score and then in the given order, like sorting all", () => {
    fc.assert(
      fc.property(
        fc.array(shortText, { maxLength: 80 }),
        shortText,
        fc.integer({ min: 1, max: 12 }),
        (bodies, query, limit) => {
          const index = new TermIndex();
          for (const body of bodies) index.add({ head: "", body });
          const backwards = (a: number, b: number) => b - a;
          const rank = (count: number) => index.rank({ terms: queryTerms(query), limit: count, compare: backwards });
          const all = [...rank(1_000)].sort((a, b) => b.score - a.score || b.document - a.document);
          expect(rank(limit)).toEqual(all.slice(0, limit));
        },
      ),
    );
  });
});
