import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { commandLine, nameCommand, npxCommand } from "#lib/platform/command-line";
import { withEnvironment } from "#lib/platform/config";
import { temporaryFolder } from "#tests/support/temporary-folder";

it("names a command as it is called here", () => {
  withEnvironment({}, () => {
    expect(commandLine("keys list")).toBe("npm run -s tapedeck -- keys list");
    expect(commandLine("up")).toBe("npm run up");
    nameCommand(() => "npx tapedeck");
    expect(commandLine("up")).toBe("npx tapedeck up");
  });
  withEnvironment({ TAPEDECK_COMMAND: "deck" }, () => expect(commandLine("keys list")).toBe("deck keys list"));
});

it("npx calls a program by its name only where its package is installed", () => {
  const folder = temporaryFolder();
  const [project, inside] = [join(folder, "project"), join(folder, "project/src")];
  mkdirSync(join(project, "node_modules/@tapedeck/testing"), { recursive: true });
  mkdirSync(inside);
  writeFileSync(join(project, "node_modules/@tapedeck/testing/package.json"), "{}");
  const at = (cwd: string) => {
    vi.spyOn(process, "cwd").mockReturnValue(cwd);
    return npxCommand("@tapedeck/testing", "tapedeck");
  };
  expect([project, inside, folder].map(at)).toEqual(["npx tapedeck", "npx tapedeck", "npx @tapedeck/testing"]);
  vi.restoreAllMocks();
});
