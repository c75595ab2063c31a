import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Parts, TermIndex } from "#lib/discovery/search/ranking/term-index";
import { queryTerms, termsOf } from "#lib/discovery/search/terms";
import { scorePlainly } from "#tests/bench/search/plain-bm25";

const headWeight = 1.5;
const numbered = (a: number, b: number) => a - b;

/** Computes the scores by the formula: BM25 of the whole, plus BM25 of the head with the whole's document frequencies. */
function scoresByFormula(documents: ReadonlyMap<number, Parts>, query: string): Map<number, number> {
  const [k1, b] = [1.2, 0.75];
  const all = [...documents].map(([id, { head, body }]) => ({
    id,
    parts: [
      { terms: [...termsOf(head), ...termsOf(body)], weight: 1 },
      { terms: termsOf(head), weight: headWeight },
    ],
  }));
  const averages = [0, 1].map((part) => {
    const total = all.reduce((sum, { parts }) => sum + (parts[part]?.terms.length ?? 0), 0);
    return Math.max(1, total / Math.max(1, all.length));
  });
  const scores = new Map<number, number>();
  for (const [term, count] of queryTerms(query)) {
    const holders = all.filter(({ parts }) => parts[0]?.terms.includes(term)).length;
    const idf = Math.log(1 + (all.length - holders + 0.5) / (holders + 0.5));
    for (const { id, parts } of all) {
      for (const [part, { terms, weight }] of parts.entries()) {
        const frequency = terms.filter((other) => other === term).length;
        if (frequency === 0) continue;
        const norm = k1 * (1 - b + (b * terms.length) / (averages[part] as number));
        const added = (count * idf * weight * frequency * (k1 + 1)) / (frequency + norm);
        scores.set(id, (scores.get(id) ?? 0) + added);
      }
    }
  }
  return scores;
}

const vocabulary = ["lease", "break", "notice", "bond", "yield", "stream", "chunk", "replay", "key", "vendor"];
const text = fc.array(fc.constantFrom(...vocabulary), { maxLength: 40 }).map((words) => words.join(" "));
const shortText = fc.array(fc.constantFrom(...vocabulary), { maxLength: 4 }).map((words) => words.join(" "));
const parts = fc.record({ head: shortText, body: text });

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
    const expected = Math.log(1 + 3.5 / 1.5) * (2.2 / (1 + 1.2 * (0.25 + 0.75 * (2 / 2.5))));
    const rank = (query: string) => index.rank({ terms: queryTerms(query), limit: 9, compare: numbered });
    expect(rank("notice")).toEqual([{ document: 1, score: expect.closeTo(expected, 10) }]);
    expect((rank("bond bond")[0]?.score as number) / (rank("bond")[0]?.score as number)).toBeCloseTo(2);
    expect(rank("absent")).toEqual([]);
    expect(rank("")).toEqual([]);
    expect(new TermIndex().rank({ terms: queryTerms("bond"), limit: 9, compare: numbered })).toEqual([]);
  });

  it("without heads is plain BM25", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 30 }), text, (bodies, query) => {
        const index = new TermIndex();
        for (const body of bodies) index.add({ head: "", body });
        const plain = scorePlainly(new Map(bodies.map((body, id) => [String(id), termsOf(body)])), termsOf(query));
        const ranked = index.rank({ terms: queryTerms(query), limit: 100, compare: numbered });
        expect(ranked.length).toBe(plain.length);
        for (const [at, { score }] of ranked.entries()) expect(score).toBeCloseTo(plain[at]?.score as number, 9);
      }),
    );
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
