import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { commandFor, commandLine, nameCommand, npxCommand } from "#lib/platform/command-line";
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

it("a command for another one is read by a shell as it was given", () => {
  const other = ["node", "-e", `print("it's $HOME *")`, "a b", "", "C:\\x"];
  withEnvironment({ TAPEDECK_COMMAND: "printf '%s\\n'" }, () => {
    const line = commandFor(
      "run",
      { mode: "auto", tapes: "my tapes", hosts: "*.example.com,127.0.0.1:80", exact: true, match: undefined },
      other,
    );
    const expected = [
      "run",
      "--mode",
      "auto",
      "--tapes",
      "my tapes",
      "--hosts",
      "*.example.com,127.0.0.1:80",
      "--exact",
      "--",
    ];
    const read = execFileSync("sh", ["-c", line], { encoding: "utf8" });
    expect(read.split("\n").slice(0, -1)).toEqual([...expected, ...other]);
    for (const unrepeated of [[], ["node", "-e", "a\nb"], ["vitest", "a".repeat(300)]])
      expect(commandFor("run", { exact: false }, unrepeated)).toBe("printf '%s\\n' run -- <command>");
  });
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
