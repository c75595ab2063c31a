import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { intelligenceCategorySchema } from "#lib/tracking/intelligence/analysis";

const hash = z.string().regex(/^[0-9a-f]{12}$/);
const changeSchema = z.strictObject({
  vendor: z.string().min(2),
  path: z.string().min(4),
  before: hash,
  after: hash,
  significance: z.int().min(1).max(5),
  categories: z.array(intelligenceCategorySchema).min(1).max(4),
});
const sets = z.record(z.enum(["first", "second", "third"]), z.array(changeSchema));

describe("the labels of real changes", () => {
  it("are complete, distinct and as many as the docs say", () => {
    const read = sets.parse(parse(readFileSync(join(import.meta.dirname, "changes.yaml"), "utf8")));
    expect(Object.values(read).map((changes) => changes.length)).toEqual([60, 60, 42]);
    const pairs = Object.values(read).flatMap((changes) => changes.map(({ before, after }) => `${before} ${after}`));
    expect(new Set(pairs).size).toBe(162);
  });
});
