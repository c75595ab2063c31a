import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { applyUnified, compareTexts } from "#lib/tracking/diffs/index";
import { versions } from "./texts";

const isInstalled = (program: string) =>
  /GNU/.test(spawnSync(program, ["--version"], { encoding: "utf8" }).stdout ?? "");
const folder = mkdtempSync(join(tmpdir(), "tapedeck-diff-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Texts that a file can contain: UTF-8 has no lone surrogates, and GNU diff treats a NUL as binary. */
const files = versions.filter((texts) => texts.every((text) => !/[\0\p{Cs}]/u.test(text)));

describe.runIf(isInstalled("patch"))("GNU patch", () => {
  it("applies our diff to get the newer text", () => {
    fc.assert(
      fc.property(files, ([before, after]) => {
        fc.pre(before !== after && before !== "" && after !== "");
        const target = write("target", before);
        const patch = write("patch", compareTexts(before, after).text);
        execFileSync("patch", ["--silent", "--binary", "--fuzz=0", "--no-backup-if-mismatch", target, patch]);
        expect(readFileSync(target, "utf8")).toBe(after);
      }),
      { numRuns: 60 },
    );
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
      { numRuns: 60 },
    );
  });
});
