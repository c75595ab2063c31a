import { execFile } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { writeNodeCommand } from "#lib/replay/interception/node-command";
import { temporaryFolder } from "#tests/support/temporary-folder";

it("the next node on PATH is started, also by a version manager that looks for it on PATH itself", async () => {
  const folder = temporaryFolder();
  const [shims, real, other] = ["shims", "real", "other"].map((name) => join(folder, name)) as [string, string, string];
  for (const path of [shims, real, join(other, "node")]) await mkdir(path, { recursive: true });
  const programs = { [shims]: `PATH="\${PATH#*:}" exec node "$@"`, [real]: 'echo "real $1 $A"' };
  for (const [path, text] of Object.entries(programs)) {
    await writeFile(join(path, "node"), `#!/bin/sh\n${text}\n`);
    await chmod(join(path, "node"), 0o755);
  }
  const bin = await writeNodeCommand(folder, { register: "/hooks/register.cjs", variables: { A: "of the run" } });
  // A version manager leaves out its own folder, and finds the program of the run.
  const PATH = [shims, bin, other, shims, real, "/usr/bin", "/bin"].join(":");
  const { stdout } = await promisify(execFile)(join(bin, "node"), ["first"], {
    env: { NODE_ENV: "test", PATH },
    timeout: 10_000,
  });
  expect(stdout).toBe("real first of the run\n");
});
