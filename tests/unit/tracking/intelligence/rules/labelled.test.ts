import { describe, expect, it } from "vitest";
import { analyseByRules } from "#lib/tracking/intelligence/rules/analyse-by-rules";
import { intelligenceCategories } from "#lib/tracking/report-categories/index";
import { evaluate, readLabelledSet } from "../labelled-set";

const changes = readLabelledSet();

describe("the rules on labelled changes", () => {
  it("cover at least eighty changes of every significance and category", () => {
    expect(changes.length).toBeGreaterThanOrEqual(80);
    expect(new Set(changes.map(({ significance }) => significance)).size).toBe(5);
    expect(new Set(changes.flatMap(({ categories }) => categories)).size).toBe(intelligenceCategories.length);
    expect(new Set(changes.map(({ name }) => name)).size).toBe(changes.length);
  });

  it("agree with the labels at least as much as required", () => {
    const { kappa, high, micro, categories } = evaluate(changes, analyseByRules);
    expect(kappa).toBeGreaterThanOrEqual(0.9);
    expect(high.recall).toBeGreaterThanOrEqual(0.9);
    expect(high.precision).toBeGreaterThanOrEqual(0.9);
    expect(micro.f1).toBeGreaterThanOrEqual(0.85);
    for (const { category, f1 } of categories) {
      expect([category, f1 >= 0.7]).toEqual([category, true]);
    }
  });
});
