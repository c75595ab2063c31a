import { expect, it, vi } from "vitest";
import { addFeedback } from "#lib/discovery/search/relevance-feedback";

const found = [
  { text: "Trout swim upstream. Trout eat flies.", score: 3 },
  { text: "Salmon swim upstream.", score: 1 },
];
const inverseFrequency = (term: string) => (term === "trout" ? 2 : 1);
const longQuery = "rivers lakes boats rods lines hooks nets anglers";

it("a short query stays as it is, and no document is read", () => {
  const terms = new Map([["river", 1]]);
  const rank = vi.fn(() => found);
  expect(addFeedback("rivers lakes", terms, { rank, inverseFrequency })).toBe(terms);
  expect(rank).not.toHaveBeenCalled();
});

it("a long query gets the words that stand out in what it finds, which together weigh half as much as it does", () => {
  const terms = new Map(longQuery.split(" ").map((word) => [word, 1]));
  const all = addFeedback(longQuery, terms, { rank: () => found, inverseFrequency });
  const added = [...all].slice(terms.size);
  expect(added.slice(0, 2).map(([term]) => term)).toEqual(["trout", "swim"]);
  expect(added.reduce((sum, [, weight]) => sum + weight, 0)).toBeCloseTo(terms.size / 2);
  expect([...all].slice(0, terms.size)).toEqual([...terms]);
});

it("a long query that finds nothing stays as it is", () => {
  const terms = new Map([["angler", 1]]);
  expect([...addFeedback(longQuery, terms, { rank: () => [], inverseFrequency })]).toEqual([...terms]);
});
