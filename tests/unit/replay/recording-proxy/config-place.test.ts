import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { isSharedTest, locateConfig } from "#lib/replay/recording-proxy/config-place";
import { temporaryFolder } from "#tests/support/temporary-folder";

const config = "tapedeck.config.json";
const tape = "packages/a/tapes/default/tape.json";

it.each([
  ["in the folder", [".git/HEAD", config, `packages/a/${config}`], "packages/a"],
  ["above, in a repository", [".git/HEAD", config], ""],
  ["between the repository and the folder", [".git/HEAD", config, `packages/${config}`], "packages"],
  ["above, in a workspace", ["pnpm-workspace.yaml", config], ""],
  ["above, in a workspace with a task file for each package", ["turbo.json", "packages/a/turbo.json", config], ""],
  ["above the repository", ["packages/.git/HEAD", config], "packages/a"],
  ["above, outside of any repository", [config], "packages/a"],
  ["nowhere", [".git/HEAD"], "packages/a"],
])("a configuration %s", (_where, files, expected) => {
  const root = temporaryFolder();
  const start = join(root, "packages/a");
  for (const file of [...files, "packages/a/package.json"]) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), "{}");
  }
  expect(locateConfig(start).folder).toBe(join(root, expected));
});

it("a package keeps the tapes that it has, and else has a name of its own for calls of no test", () => {
  const root = temporaryFolder();
  const start = join(root, "packages/a");
  mkdirSync(join(start, "tapes"), { recursive: true });
  writeFileSync(join(root, "package.json"), '{ "workspaces": ["packages/*"] }');
  writeFileSync(join(root, config), "{}");
  expect(locateConfig(start)).toEqual({ folder: root, root, sharedTest: "packages/a/default" });
  mkdirSync(dirname(join(root, tape)), { recursive: true });
  writeFileSync(join(root, tape), "{}");
  expect(locateConfig(start)).toEqual({ folder: root, root: start, sharedTest: "default" });
  expect(["default", "packages/a/default"].every(isSharedTest)).toBe(true);
  expect(["a.test.ts > default", "a/default.py::b/default", "my-default"].some(isSharedTest)).toBe(false);
});
