import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "#tests/support/run-cli";
import { temporaryFolder } from "#tests/support/temporary-folder";

const folder = temporaryFolder();
const files = {
  link: () => symlinkSync(join(folder, "missing"), join(folder, "link")),
  file: () => writeFileSync(join(folder, "file"), ""),
  full: () => {
    mkdirSync(join(folder, "full/database"), { recursive: true });
    symlinkSync("/dev/full", join(folder, `full/database/lock.${process.pid}`));
  },
};

test.runIf(process.platform === "linux").each([
  ["link", "is not a folder, or a link to a missing one (EEXIST). Correct it"],
  // The newest Node.js has another code.
  ["file", "is not a folder, or a link to a missing one (ENOTDIR|EEXIST). Correct it"],
  ["full", "is on a full disk (ENOSPC). Free some space"],
] as const)("a data folder that cannot be used (%s) is named, with what to do", async (name, problem) => {
  files[name]();
  const place = join(folder, name);
  const environment = { DATABASE_URL: undefined, TAPEDECK_DATA_DIR: place };
  const { code, stdout, stderr } = await runCommand(["database", "start"], { environment });
  const pattern = problem.replaceAll(".", "\\.").replace(/\((.+?)\)/, "\\((?:$1)\\)");
  expect(stderr.replace(place, "<place>")).toMatch(
    new RegExp(`^The data folder <place> ${pattern}, or set TAPEDECK_DATA_DIR to another folder\\.\n$`),
  );
  expect([code, stdout]).toEqual([1, ""]);
});
