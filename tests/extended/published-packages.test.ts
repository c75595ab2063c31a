import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Installed, installPackages } from "#tests/support/clients/install-packages";
import { temporaryFolder } from "#tests/support/temporary-folder";

/** What npm and its users' tools say of the packages as they would be published. */
const root = resolve(import.meta.dirname, "../..");
const setupTimeoutMs = 600_000;
const runTimeoutMs = 600_000;
const repository = "git+https://github.com/example/tapedeck.git";

const out = temporaryFolder();
let checkers: Installed;
beforeAll(() => {
  checkers = installPackages(["publint@0.3.25", "@arethetypeswrong/cli@0.18.5"]);
}, setupTimeoutMs);
afterAll(() => checkers?.remove());

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

describe.each([
  ["@tapedeck/testing", "lib/testing/build.mjs", "package"],
  ["@tapedeck/server", "lib/cli/package/build-package.mjs", "server"],
])("%s", (name, script, place) => {
  const folder = () => join(out, place);
  beforeAll(() => {
    const { status, output } = run(process.execPath, [script, "--out", out, "--repository", repository], root);
    if (status !== 0) throw new Error(output);
  }, setupTimeoutMs);

  it("can be published with its provenance", () => {
    expect(publishWarnings(folder())).toEqual([]);
    expect(JSON.parse(readFileSync(join(folder(), "package.json"), "utf8"))).toMatchObject({
      name,
      publishConfig: { access: "public", provenance: true },
      repository: { type: "git", url: repository },
    });
  });

  const check = (checker: string, ...args: string[]) => {
    const { status, output } = run(join(checkers.folder, "node_modules/.bin", checker), [...args, folder()], root);
    expect(status, output).toBe(0);
  };
  it("publint finds nothing", () => check("publint", "--strict"));
  // It checks modules and their types, of which the server has none.
  it.runIf(place === "package")("attw finds nothing", () => check("attw", "--pack"));
});
