import { expect, test } from "vitest";
import { describeDifference } from "#lib/platform/json-difference";
import { findTextChanges } from "#lib/platform/text-difference";

const words = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `word${from + index}`).join(" ");

test("of a long text, the part that differs is shown with three words on either side", () => {
  const before = `${words(500)} always be brief and kind ${words(500, 500)}`;
  const after = before.replace("brief", "brave and bold");
  expect(findTextChanges(before, after)).toEqual([
    {
      before: "…word499 always be brief and kind word500…",
      after: "…word499 always be brave and bold and kind word500…",
    },
  ]);
});

test("each part that differs is shown, also what is new or missing", () => {
  const before = `${words(50)} red ${words(50, 50)} blue ${words(50, 100)}`;
  const after = `zero ${before.replace(" red", "").replace("blue", "green")}`;
  expect(findTextChanges(before, after).map((change) => [change.before, change.after])).toEqual([
    ["word0 word1 word2…", "zero word0 word1 word2…"],
    ["…word47 word48 word49 red word50 word51 word52…", "…word47 word48 word49 word50 word51 word52…"],
    ["…word97 word98 word99 blue word100 word101 word102…", "…word97 word98 word99 green word100 word101 word102…"],
  ]);
});

test("short texts are shown whole, and of a word without end the place that differs", () => {
  expect(findTextChanges("Be brief.", "Be brave.")).toEqual([{ before: "Be brief.", after: "Be brave." }]);
  const [change] = findTextChanges(
    `${"a".repeat(5_000)}b${"c".repeat(5_000)}`,
    `${"a".repeat(5_000)}d${"c".repeat(5_000)}`,
  );
  expect(change?.before).toMatch(/^…a+bc+…$/);
  expect(change?.after).toMatch(/^…a+dc+…$/);
});

test("texts without a common part are cut, however long they are", () => {
  const line = describeDifference({ pointer: "/system", before: words(20_000), after: words(20_000, 50_000) });
  expect(line).toMatch(/^\/system was "word0 .*…" and is now "word50000 .*…"$/);
  expect(line.length).toBeLessThan(300);
});
