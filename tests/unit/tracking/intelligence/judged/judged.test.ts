import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { intelligenceCategorySchema } from "#lib/tracking/intelligence/analysis";
import { quadraticWeightedKappa, scoreOf } from "../labelled-set";

const hash = z.string().regex(/^[0-9a-f]{12}$/);
const label = { significance: z.int().min(1).max(5), categories: z.array(intelligenceCategorySchema).min(1).max(4) };
const changeSchema = z.strictObject({
  vendor: z.string().min(2),
  path: z.string().min(4),
  before: hash,
  after: hash,
  ...label,
  second: z.strictObject(label).optional(),
  decided: z.strictObject(label).optional(),
});
const sets = z.record(
  z.enum(["first", "second", "third", "fourth", "fifth", "sixth", "seventh"]),
  z.array(changeSchema),
);

const readSets = () => sets.parse(parse(readFileSync(join(import.meta.dirname, "changes.yaml"), "utf8")));

describe("the labels of real changes", () => {
  it("are complete, distinct and as many as the docs say", () => {
    const read = readSets();
    expect(Object.values(read).map((changes) => changes.length)).toEqual([60, 60, 42, 86, 37, 80, 80]);
    const pairs = Object.values(read).flatMap((changes) => changes.map(({ before, after }) => `${before} ${after}`));
    expect(new Set(pairs).size).toBe(445);
  });

  it("of the third set agree in two readings as much as the docs say", () => {
    const pairs = readSets().third.map((first) => [first, first.second!] as const);
    const kappa = quadraticWeightedKappa(pairs.map(([a, b]) => [a.significance, b.significance] as const));
    const count = (index: 0 | 1) => pairs.reduce((sum, pair) => sum + pair[index].categories.length, 0);
    const common = pairs.flatMap(([a, b]) => a.categories.filter((category) => b.categories.includes(category)));
    expect(kappa.toFixed(2)).toBe("0.96");
    expect(scoreOf(common.length, count(1), count(0)).f1.toFixed(2)).toBe("0.91");
  });
});
