import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { childEnvironment } from "#lib/platform/config";
import { compareTexts } from "#lib/tracking/diffs/index";
import { applyUnified } from "#tests/support/apply-unified";
import { isExtended } from "#tests/support/extended";
import { seededRandom } from "#tests/support/seeded-random";
import { temporaryFolder } from "#tests/support/temporary-folder";
import { versions } from "./texts";

const isInstalled = (program: string) =>
  /GNU/.test(spawnSync(program, ["--version"], { encoding: "utf8" }).stdout ?? "");
const folder = temporaryFolder();

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Texts that a file can contain: UTF-8 has no lone surrogates, and GNU diff treats a NUL as binary. */
const files = versions.filter((texts) => texts.every((text) => !/[\0\p{Cs}]/u.test(text)));

/** Versions whose added lines often end like the lines around them, where a diff has several shortest forms. */
const repetitive = fc.array(fc.constantFrom("a\n", "b\n", "\n", "c"), { maxLength: 24 }).chain((lines) =>
  fc
    .array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), fc.nat(), fc.nat({ max: 6 })), { minLength: 1, maxLength: 3 })
    .map((edits) => {
      const after = [...lines];
      for (const [place, count, from, length] of edits) {
        after.splice(place % (after.length + 1), count, ...lines.slice(from % (lines.length + 1)).slice(0, length));
      }
      return [lines.join(""), after.join("")] as const;
    }),
);

/** Different pairs, neither side empty; a failure is repeated with the printed seed. */
function drawPairs(name: string): (readonly [string, string])[] {
  const seed = Math.floor(seededRandom(name)() * 2 ** 31);
  const isDifferent = ([before, after]: readonly [string, string]) => before !== after && before !== "" && after !== "";
  return fc.sample(fc.oneof(files, repetitive).filter(isDifferent), { seed, numRuns: isExtended ? 5_000 : 100 });
}

/** Writes the older versions as files `0`, `1`, …, and one patch of all of them. Returns a check of the results. */
function writePatch(pairs: readonly (readonly [string, string])[], prefixes: readonly [string, string]) {
  const parts = pairs.map(([before, after], index) => {
    write(`${index}`, before);
    return `--- ${prefixes[0]}${index}\n+++ ${prefixes[1]}${index}\n${compareTexts(before, after).text}`;
  });
  write("patch", parts.join(""));
  return () => {
    for (const [index, [before, after]] of pairs.entries()) {
      const result = readFileSync(join(folder, `${index}`), "utf8");
      expect(result, JSON.stringify({ before, after })).toBe(after);
    }
  };
}

describe.runIf(isInstalled("patch"))("GNU patch", () => {
  it("applies our diffs without fuzz to get the newer texts", () => {
    const check = writePatch(drawPairs("GNU patch"), ["", ""]);
    const run = spawnSync(
      "patch",
      ["--silent", "--binary", "--fuzz=0", "--no-backup-if-mismatch", "-p0", "-d", folder, "-i", "patch"],
      { encoding: "utf8" },
    );
    expect(run.stdout + run.stderr).toBe("");
    check();
  });
});

describe.runIf(spawnSync("git", ["--version"]).status === 0)("git apply", () => {
  it("applies our diffs to get the newer texts", () => {
    const check = writePatch(drawPairs("git apply"), ["a/", "b/"]);
    const run = spawnSync("git", ["apply", "--whitespace=nowarn", "patch"], {
      cwd: folder,
      encoding: "utf8",
      env: { ...childEnvironment(), GIT_CEILING_DIRECTORIES: tmpdir() },
    });
    expect(run.stderr).toBe("");
    check();
  });
});

describe.runIf(isInstalled("diff"))("GNU diff", () => {
  it("writes diffs that we can apply, with as many lines as ours", () => {
    fc.assert(
      fc.property(files, ([before, after]) => {
        fc.pre(before !== after);
        const [old, now] = [write("before", before), write("after", after)];
        const { stdout } = spawnSync("diff", ["--text", "--minimal", "-U3", old, now], { encoding: "utf8" });
        const hunks = stdout.split("\n").slice(2).join("\n");
        expect(applyUnified(before, hunks)).toBe(after);
        const { linesAdded, linesRemoved } = compareTexts(before, after);
        const lines = hunks.split("\n");
        expect(lines.filter((line) => line.startsWith("+"))).toHaveLength(linesAdded);
        expect(lines.filter((line) => line.startsWith("-"))).toHaveLength(linesRemoved);
      }),
      { numRuns: isExtended ? 60 : 20 },
    );
  });
});
