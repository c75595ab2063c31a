import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Installed, installPackages, nodeOf } from "#tests/support/clients/install-packages";
import { answers, type Launched, launchTapedeck } from "#tests/support/launcher";
import { freePort } from "#tests/support/serve";
import { temporaryFolder } from "#tests/support/temporary-folder";

/** The server as npm installs it, without a clone. */
const root = resolve(import.meta.dirname, "../..");
const setupTimeoutMs = 1_800_000;
const megabyte = 1_000_000;
const maxByteSize = 350 * megabyte;

const built = temporaryFolder();
let installed: Installed;
beforeAll(async () => {
  const output = execFileSync(process.execPath, ["lib/cli/package/build-package.mjs", "--out", built], { cwd: root });
  const [, tarball = ""] = /^(.+\.tgz): /m.exec(output.toString()) ?? [];
  installed = installPackages([tarball]);
}, setupTimeoutMs);
afterAll(() => installed?.remove());

const modulesOf = (folder: string) => join(folder, "node_modules");

it("has at most 350 MB, and no compilers, command of Prisma, image codecs or source maps", () => {
  const modules = modulesOf(installed.folder);
  const files = readdirSync(modules, { recursive: true, encoding: "utf8" });
  const byteSize = files.reduce((sum, name) => sum + lstatSync(join(modules, name)).size, 0);
  console.log(`${Math.round(byteSize / megabyte)} MB`);
  expect(byteSize).toBeLessThan(maxByteSize);
  const unneeded = /node_modules\/(@next\/swc|@esbuild|esbuild|typescript|tsx|prisma|vitest|sharp|@img)|\.map$/;
  expect(files.filter((name) => unneeded.test(`node_modules/${name}`))).toEqual([]);
  expect(spawnSync("grep", ["-rlF", root, modules], { encoding: "utf8" }).stdout).toBe("");
});

describe.each(["20", "24"])("on Node.js %s", (version) => {
  let node: string;
  let port: number;
  let launched: Launched;
  const command = () => [node, "node_modules/.bin/tapedeck-server"] as const;
  beforeAll(async () => {
    node = nodeOf(version);
    port = await freePort();
    const { folder } = installed;
    launched = launchTapedeck({ command: [...command(), "up"], folder, dataFolder: "", port });
    await launched.ready();
    console.log(/ready after .*$/m.exec(launched.output())?.[0]);
  }, setupTimeoutMs);
  afterAll(() => launched?.process.kill("SIGKILL"));

  it("answers, and keeps its data where it was started", async () => {
    expect(await answers(port)).toBe(true);
    const replay = await fetch(`http://127.0.0.1:${port}/api/v1/replay/developer-tools/explain-sse?speed=max`);
    expect(await replay.text()).toContain("event: message_stop");
    for (const path of ["/", "/docs/self-hosting", "/vendors", "/openapi.json", "/theme.js"])
      expect([path, (await fetch(`http://127.0.0.1:${port}${path}`)).status]).toEqual([path, 200]);
    expect(existsSync(join(installed.folder, ".tapedeck/database"))).toBe(true);
  });

  it.each([
    [["fleet", "verify"], /^live +developer-tools/m],
    [["doctor"], /^ok +migrations/m],
    [["keys", "create", "--tier", "pro"], /^ltf_/m],
    [["database", "status"], /^embedded at .+: answers/],
    [["--help"], /^Usage: tapedeck-server /],
  ])("runs %j", (args, expected) => {
    const [file, ...rest] = [...command(), ...args];
    const { stdout, stderr } = spawnSync(file, rest, { cwd: installed.folder, encoding: "utf8" });
    expect(`${stdout}${stderr}`).toMatch(expected);
  });

  it("stops on SIGTERM, and has printed nothing of Next's", async () => {
    launched.process.kill("SIGTERM");
    expect(await launched.ended).toEqual({ exitCode: 0, signal: null });
    expect(launched.output()).not.toContain("next.config");
  });
});
