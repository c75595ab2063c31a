import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { detectorNames } from "#lib/tracking/security/finding";
import { instructionRules } from "#lib/tracking/security/instruction-rules";
import { samples } from "./samples";

const page = readFileSync(new URL("../../../../content/docs/security-score.md", import.meta.url), "utf8");

/** Detectors of the page's table, with the numbers in their column of points. */
const documented = new Map(
  [...page.matchAll(/^\|[^|]*\| `([a-z0-9-]+)` \|(?:[^|\\]|\\.)*\|([^|]*)\|/gm)].map(([, name = "", points = ""]) => [
    name,
    (points.match(/\d+/g) ?? []).map(Number),
  ]),
);

describe("the table of what is detected", () => {
  it("has every detector once, as do the samples", () => {
    expect([...documented.keys()].sort()).toEqual([...detectorNames].sort());
    expect(Object.keys(samples).sort()).toEqual([...detectorNames].sort());
  });

  it("has the points of each rule and sample", () => {
    for (const { detector, points } of instructionRules)
      expect([detector, documented.get(detector)]).toEqual([detector, expect.arrayContaining([points])]);
    for (const [detector, { points }] of Object.entries(samples))
      expect([detector, documented.get(detector)]).toEqual([detector, expect.arrayContaining([points])]);
  });
});
