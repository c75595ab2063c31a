import { expect, it } from "vitest";
import { findSimilar, similarFinder } from "#lib/platform/similar-texts";

it("finds what is similar, the most similar first, and reads the texts once for many names", () => {
  const items = ["gpt-5-mini", "gpt-5", "claude-opus-4"];
  let readCount = 0;
  const find = similarFinder(items, (item) => {
    readCount += 1;
    return [item];
  });
  const bounds = { limit: 3, minScore: 0.5 };
  expect(find("gpt-5-minni", bounds)).toEqual(["gpt-5-mini", "gpt-5"]);
  expect(find("gpt-5-minni", { ...bounds, isWanted: (item) => item !== "gpt-5-mini" })).toEqual(["gpt-5"]);
  for (const name of ["", "claude", "claude-opus", "gpt-5-2025", "x".repeat(200)])
    expect(find(name, bounds)).toEqual(findSimilar(items, name, { textsOf: (item) => [item], ...bounds }));
  expect(readCount).toBe(items.length);
});
