import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "#tests/support/temporary-folder";

/** Stands in for npm: `ci` begins with an empty folder; what `PACKAGES` names is installed, unless it is killed. */
const npm = `
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
const [command] = process.argv.slice(2);
appendFileSync("npm.log", process.argv.slice(2, 4).join(" ") + "\\n");
if (command === "ci") rmSync("node_modules", { recursive: true });
const packages = Object.fromEntries(process.env.PACKAGES.split(" ").map((name) => ["node_modules/" + name, { version: "1.0.0" }]));
for (const folder of Object.keys(packages)) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(folder + "/package.json", '{"version":"1.0.0"}');
}
if (process.env.KILLED) process.kill(process.pid, "SIGKILL");
writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages }));
`;

/** Makes a clone with one package for all and one for development, which `prepare` installs. */
function makeClone() {
  const folder = temporaryFolder();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const path of ["lib/cli/bootstrap", "lib/platform/processes.mjs"])
    cpSync(path, join(folder, path), { recursive: true });
  const packages = {
    "node_modules/prisma": { version: "1.0.0" },
    "node_modules/vitest": { version: "1.0.0", dev: true },
  };
  write("package-lock.json", JSON.stringify({ packages }));
  write("bin/npm-cli.js", npm);
  write("bin/package.json", '{"type":"module"}');
  write("prisma/schema.prisma", "");
  write("node_modules/old/package.json", "{}");
  // The database client is current.
  write("prisma/generated/.tapedeck-schema", `1.0.0 ${createHash("sha256").update("").digest("hex")}\n`);
  const prepare = (withDevelopment: boolean, environment = {}) => {
    const script = `import("./lib/cli/bootstrap/prepare.mjs").then(({ prepare }) => prepare({ withDevelopment: ${withDevelopment} }))`;
    rmSync(join(folder, "npm.log"), { force: true });
    const env = {
      ...{ ...process.env, npm_execpath: join(folder, "bin/npm-cli.js") },
      ...{ PACKAGES: withDevelopment ? "prisma vitest" : "prisma", ...environment },
    };
    execFileSync(process.execPath, ["-e", script], { cwd: folder, env, stdio: "pipe" });
  };
  const npmCalls = () =>
    existsSync(join(folder, "npm.log")) ? readFileSync(join(folder, "npm.log"), "utf8").split("\n").slice(0, -1) : [];
  return { prepare, npmCalls };
}

it("what tests need is added to the packages of a running server; if that is interrupted, all are installed again", () => {
  const { prepare, npmCalls } = makeClone();
  prepare(false);
  expect(npmCalls()).toEqual(["ci --omit=dev"]);
  prepare(false);
  expect(npmCalls()).toEqual([]);
  expect(() => prepare(true, { KILLED: "1" })).toThrow();
  expect(npmCalls()).toEqual(["install --no-save"]);
  prepare(false);
  expect(npmCalls()).toEqual(["ci --omit=dev"]);
  prepare(true);
  expect(npmCalls()).toEqual(["install --no-save"]);
  for (const withDevelopment of [true, false]) {
    prepare(withDevelopment);
    expect(npmCalls()).toEqual([]);
  }
});
