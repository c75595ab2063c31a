import { join } from "node:path";
import { expect, test } from "vitest";
import { lookUpFiles } from "#lib/replay/cassettes/stores/look-up-files";
import { temporaryFolder, writeIn } from "#tests/support/temporary-folder";

test.each([
  ["a fast drive", undefined],
  ["a slow drive, on which no slice is long enough", 0],
])("files of %s are found in their order, and what is missing is null", async (_, sliceMs) => {
  const folder = temporaryFolder();
  const sizes = Array.from({ length: 100 }, (_each, number) => number);
  for (const size of sizes) await writeIn(folder, `${size}.json`, "x".repeat(size));
  const paths = [...sizes.map((size) => join(folder, `${size}.json`)), join(folder, "none"), join(folder, "0.json/x")];
  const found = await lookUpFiles(paths, sliceMs);
  expect(found.map((info) => info?.size ?? null)).toEqual([...sizes, null, null]);
});
