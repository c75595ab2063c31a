import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Installed, installPackages } from "#tests/support/clients/install-packages";

/** What npm and its users' tools say of the packages as they would be published. */
const root = resolve(import.meta.dirname, "../..");
const setupTimeoutMs = 600_000;
const runTimeoutMs = 300_000;
const repository = "git+https://github.com/example/tapedeck.git";

let out: string;
let checkers: Installed;
beforeAll(() => {
  out = mkdtempSync(join(tmpdir(), "tapedeck-published-"));
  checkers = installPackages(["publint@0.3.25", "@arethetypeswrong/cli@0.18.5"]);
}, setupTimeoutMs);
afterAll(() => {
  checkers?.remove();
  rmSync(out, { recursive: true, force: true });
});

function run(command: string, args: readonly string[], folder: string): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: "utf8", timeout: runTimeoutMs });
  return { status, output: `${stdout}${stderr}` };
}

/** Warnings of `npm publish --dry-run`, but for the one that nobody is logged in. */
function publishWarnings(folder: string): string[] {
  const { status, output } = run("npm", ["publish", "--dry-run"], folder);
  expect(status, output).toBe(0);
  expect(output).toContain("with tag latest and public access (dry-run)");
  return output.split("\n").filter((line) => /^npm (warn|error)/.test(line) && !line.includes("logged in"));
}

describe("@tapedeck/testing", () => {
  const folder = () => join(out, "package");
  beforeAll(() => {
    const { status, output } = run(
      process.execPath,
      ["lib/testing/build.mjs", "--out", out, "--repository", repository],
      root,
    );
    if (status !== 0) throw new Error(output);
  }, setupTimeoutMs);

  it("can be published with its provenance", () => {
    expect(publishWarnings(folder())).toEqual([]);
    expect(JSON.parse(readFileSync(join(folder(), "package.json"), "utf8"))).toMatchObject({
      publishConfig: { access: "public", provenance: true },
      repository: { type: "git", url: repository },
    });
  });

  it.each([
    ["publint", ["--strict"]],
    ["attw", ["--pack"]],
  ])("%s finds nothing", (name, args) => {
    const { status, output } = run(join(checkers.folder, "node_modules/.bin", name), [...args, folder()], root);
    expect(status, output).toBe(0);
  });
});
