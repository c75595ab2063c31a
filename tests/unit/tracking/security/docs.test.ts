import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { nameFinding } from "#lib/tracking/security/index";
import detectors from "../../../../lib/tracking/security/phrases/detectors.json" with { type: "json" };
import { samples } from "./samples";

const detectorNames = Object.keys(detectors);
const page = readFileSync(new URL("../../../../content/docs/security-score.md", import.meta.url), "utf8");

it("the page's table and the samples have every detector once", () => {
  const rows = page.split("\n").filter((line) => line.startsWith("| "));
  const documented = rows.flatMap((row) => [...row.matchAll(/`([a-z0-9-]+)`/g)].map(([, name]) => name));
  expect(documented.filter((name) => detectorNames.includes(name!)).sort()).toEqual([...detectorNames].sort());
  expect(Object.keys(samples).sort()).toEqual([...detectorNames].sort());
});

it("every detector has its own label, and a removed one is labelled by its name", () => {
  expect(new Set(detectorNames.map(nameFinding)).size).toBe(detectorNames.length);
  expect(nameFinding("old-one")).toBe("old one");
});
