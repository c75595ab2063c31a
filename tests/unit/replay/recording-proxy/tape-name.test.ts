import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { tapeFolder } from "#lib/replay/recording-proxy/index";

const file = resolve(import.meta.dirname, "../../../support/tape-names.json");
const names = JSON.parse(readFileSync(file, "utf8")) as { test: string; folder: string[] }[];

it("the folder of a test is readable, and that of no other test", () => {
  expect(names.map(({ test }) => tapeFolder(test))).toEqual(names.map(({ folder }) => folder));
});
