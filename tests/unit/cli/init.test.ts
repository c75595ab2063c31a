import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { addScript } from "#lib/cli/init/add-script";
import { exampleCalls } from "#lib/cli/init/example";
import { bundledModels } from "#lib/models/index";
import { version } from "#lib/platform/version";
import { readConfig } from "#lib/replay/recording-proxy/index";
import { wheelName } from "#tests/support/python-package";
import { runCommand } from "#tests/support/run-cli";
import { temporaryFolder } from "#tests/support/temporary-folder";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** What installs the package, after the command of a package manager. */
const tarball = `./vendor/tapedeck-testing-${version}.tgz   # build it first, in a clone of Tapedeck: npm run package`;
const init = (...args: string[]) => runCommand(["init", ...args], { cwd: folder });
const write = (file: string, text: string) => writeFile(join(folder, file), text);
const read = (file: string) => readFile(join(folder, file), "utf8");
const readAll = async () =>
  Object.fromEntries(await Promise.all((await readdir(folder)).map(async (file) => [file, await read(file)])));

const manifest = `{
	"name": "trip",
	"scripts": {
		"build": "tsc",
		"test": "vitest run"
	},
	"files": ["a", "b"],
	"devDependencies": { "vitest": "4", "typescript": "5", "openai": "6" }
}
`;

it("adds a script, the configuration and an example once, and keeps all else of package.json as it was", async () => {
  await write("package.json", manifest);
  const { code, stdout } = await init();
  expect(code).toBe(0);
  expect(await read("package.json")).toBe(
    manifest.replace('"scripts": {\n', '"scripts": {\n\t\t"test:replay": "tapedeck run -- npm test",\n'),
  );
  expect(await readConfig(folder)).toMatchObject({ tapes: join(folder, "tapes") });
  expect(await read("tapedeck-example.test.ts")).toContain("new OpenAI({ baseURL: t.openai })");
  expect(stdout).toBe(`Found vitest with openai.
added       script test:replay in package.json
added       tapedeck.config.json
added       -merge for tapes in .gitattributes
added       tapedeck-example.test.ts
Next:
  npm install -D ${tarball}
  npm run test:replay   # records, with OPENAI_API_KEY
  unset OPENAI_API_KEY
  npm run test:replay   # replays, without key and network
`);

  await write("tapedeck.config.json", '{"tapes": "mine"}');
  const before = await readAll();
  expect((await init()).stdout).toMatch(
    /^unchanged +script test:replay.*\nunchanged +tapedeck\.config.*\nunchanged +-merge .*\nunchanged +tapedeck-example/m,
  );
  expect(await readAll()).toEqual(before);
});

it("keeps what .gitattributes has, and Git merges no list of a tape from two sides", async () => {
  await write("package.json", manifest);
  await write(".gitattributes", "*.cassette.json diff=tape");
  await init();
  expect(await read(".gitattributes")).toBe("*.cassette.json diff=tape\n*.cassette.json -merge\ntape.json -merge\n");
  const git = (...args: string[]) =>
    spawnSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], { cwd: folder });
  const lines = (first: string, last: string) => [first, ...Array(20).fill("same"), last].join("\n");
  const tape = "tapes/packs";
  const commit = async (branch: string, text: string, ...files: string[]) => {
    git("checkout", "-b", branch);
    await mkdir(join(folder, tape), { recursive: true });
    for (const file of ["tape.json", ...files]) await write(`${tape}/${file}`, text);
    git("add", "-A");
    git("commit", "-m", branch);
  };
  git("init");
  await commit("base", lines("a", "z"));
  await commit("theirs", lines("a", "theirs"), "002.cassette.json");
  git("checkout", "base");
  await commit("ours", lines("ours", "z"), "002.cassette.json", "003.cassette.json");
  expect(git("merge", "theirs").status).toBe(1);
  expect(await read(`${tape}/tape.json`)).toBe(lines("ours", "z"));
  // What the docs and the message of a tape that cannot be read advise.
  expect(git("restore", "-SW", "--source", "MERGE_HEAD", tape).status).toBe(0);
  expect(await readdir(join(folder, tape))).toEqual(["002.cassette.json", "tape.json"]);
  for (const file of ["002.cassette.json", "tape.json"])
    expect(await read(`${tape}/${file}`)).toBe(lines("a", "theirs"));
});

it("only says what it would add with --dry-run", async () => {
  await write("package.json", manifest);
  expect((await init("--dry-run")).stdout).toMatch(/^would add +script test:replay.*\nwould add +tapedeck\.config/m);
  expect(await readAll()).toEqual({ "package.json": manifest });
});

it.each([
  ["jest", { devDependencies: { jest: "30" } }, "tapedeck run -- jest", "tapedeck-example.test.js"],
  ["node:test", { scripts: { test: "node --test" } }, "tapedeck run -- npm test", "tapedeck-example.test.mjs"],
  ["@playwright/test", { devDependencies: { "@playwright/test": "1" } }, "tapedeck run -- playwright test", undefined],
  ["mocha", { scripts: { test: "mocha" }, devDependencies: { mocha: "11" } }, "tapedeck run -- npm test", undefined],
  ["npm test", { scripts: { test: "./check" } }, "tapedeck run -- npm test", undefined],
])("finds %s", async (name, fields, script, example) => {
  await write(
    "package.json",
    JSON.stringify({ ...fields, dependencies: { ai: "7", "@ai-sdk/google": "4", "@anthropic-ai/sdk": "1" } }, null, 2),
  );
  const { stdout } = await init();
  expect(stdout).toContain(`Found ${name} with @anthropic-ai/sdk, @ai-sdk/google.`);
  expect(stdout).toContain("records, with ANTHROPIC_API_KEY and GOOGLE_GENERATIVE_AI_API_KEY\n");
  expect(JSON.parse(await read("package.json")).scripts["test:replay"]).toBe(script);
  const files = (await readdir(folder)).filter((file) => file.startsWith("tapedeck-example"));
  expect(files).toEqual(example === undefined ? [] : [example]);
});

it.each([
  [["pytest.ini"], "pytest", "npx @tapedeck/testing run -- pytest "],
  [["tests/test_trip.py"], "pytest", "npx @tapedeck/testing run -- pytest "],
  [["pyproject.toml:[tool.pytest.ini_options]"], "pytest", "npx @tapedeck/testing run -- pytest "],
  [["deno.json"], "deno test", "npx @tapedeck/testing run -- deno test -A "],
  [['package.json:{"name": "a"}', "bun.lock"], "bun test", `bun add -d ${tarball}\n  bun run test:replay `],
  [['package.json:{"scripts": {"test": "bun test"}}', "bun.lock"], "bun test", "bun run test:replay "],
  [['package.json:{"scripts": {"test": "mocha"}}', "bun.lock"], "bun run test", "bun run test:replay "],
  [
    ['package.json:{"name": "a"}', "vitest.config.ts", "pnpm-lock.yaml"],
    "vitest",
    `pnpm add -D ${tarball}\n  pnpm run test:replay `,
  ],
])("finds the runner by its files: %j", async (files, name, command) => {
  for (const file of files) {
    const [path = "", text = ""] = file.split(/:(.*)/s);
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await write(path, text);
  }
  const { stdout } = await init("--dry-run");
  expect(stdout).toContain(`Found ${name} with`);
  expect(stdout).toContain(`  ${command}`);
});

it("names the packages of a workspace, and uses the configuration above one", async () => {
  const packages = ["apps/web", "packages/a", "packages/b"];
  await mkdir(join(folder, ".git"));
  for (const name of packages) {
    await mkdir(join(folder, name), { recursive: true });
    await write(`${name}/package.json`, '{ "devDependencies": { "vitest": "4", "openai": "6" } }');
  }
  await write("pnpm-workspace.yaml", 'packages:\n  # all\n  - "packages/*" # and\n\n  - apps/web\n');
  await write("package.json", '{ "workspaces": null }');
  expect(await init()).toMatchObject({
    code: 2,
    stderr: `No test runner was found here. Run init in the package whose tests call models: ${packages.join(", ")}.\n`,
  });
  await write("package.json", '{ "scripts": { "test": "turbo run test" } }');
  await write("packages/b/package.json", "null");
  await write("packages/a/package.json", '{ "devDependencies": { "vitest": "4", "openai": "6" } ');
  expect((await init()).stdout).toContain("Found pnpm test with openai.\n");
  for (const name of ["a", "b"])
    await write(`packages/${name}/package.json`, '{ "devDependencies": { "vitest": "4", "openai": "6" } }');
  const { stdout } = await init();
  expect(stdout).toContain("Found pnpm test with openai.\n");
  expect(stdout).toContain("records, with OPENAI_API_KEY\n");
  expect(stdout).toContain(`get theirs where init is run: ${packages.join(", ")}\n`);
  const inPackage = await runCommand(["init"], { cwd: join(folder, "packages/a") });
  expect(inPackage.stdout).toContain("unchanged   ../../tapedeck.config.json\n");
  expect(inPackage.stdout).toContain(`Next:\n  pnpm add -D ${tarball}\n  pnpm run test:replay `);
  // What the workspace has installed is not installed again.
  await mkdir(join(folder, "node_modules/@tapedeck/testing"), { recursive: true });
  await write("node_modules/@tapedeck/testing/package.json", "{}");
  const installed = await runCommand(["init"], { cwd: join(folder, "packages/a") });
  expect(installed.stdout).toContain("Next:\n  pnpm run test:replay ");
  // A lock file outside of the repository does not count.
  await mkdir(join(folder, "packages/b/.git"));
  const ofItsOwn = await runCommand(["init"], { cwd: join(folder, "packages/b") });
  expect(ofItsOwn.stdout).toContain("Next:\n  npm run test:replay ");
});

it("reads folders that are files or lead nowhere as empty", async () => {
  await write("package.json", '{ "workspaces": ["lib/*"], "scripts": { "test": "mocha" } }');
  await write("lib", "");
  await symlink("nowhere", join(folder, "tests"));
  expect((await init()).code).toBe(0);
});

it("finds pytest, whose command needs no script", async () => {
  await write("requirements.txt", "anthropic>=0.50\npytest~=8.0\n");
  expect((await init()).stdout).toContain(
    `pip install vendor/${wheelName}   # build it first, in a clone of Tapedeck: npm run package:python
  npx @tapedeck/testing run -- pytest   # records, with ANTHROPIC_API_KEY\n`,
  );
  expect(await read("test_tapedeck_example.py")).toContain("Anthropic(base_url=tape.anthropic)");
});

it.each([
  [{}, "There is no package.json, pyproject.toml, requirements.txt or deno.json here."],
  [{ "package.json": "{" }, "package.json cannot be read: "],
  [
    {
      "pyproject.toml":
        'description = "pytest helpers"\nkeywords = ["openai",\n "pytest"]\ndependencies = ["requests"]\n',
    },
    "No test runner was found",
  ],
  [
    { "package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}' },
    "No test runner was found",
  ],
])("fails without a project that has tests: %j", async (files: Record<string, string>, message) => {
  for (const [file, text] of Object.entries(files)) await write(file, text);
  expect(await init()).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  expect(await readAll()).toEqual(files);
});

it("adds a script to a file in any form, or leaves it as it is", () => {
  expect(addScript('{"name":"a"}', "b", "c")).toBe('{"scripts":{"b":"c"},"name":"a"}');
  expect(addScript('{ "scripts": { "a": "x" } }\n', "b", "c")).toBe('{ "scripts": { "b": "c", "a": "x" } }\n');
  expect(addScript('{"name": "a", "scripts": {}}', "b", "c")).toBe('{"name": "a", "scripts": {"b": "c"}}');
  expect(addScript('{\n\t"name": "a"\n}', "b", "c")).toBe('{\n\t"scripts": {\n\t\t"b": "c"\n\t},\n\t"name": "a"\n}');
  expect(addScript('{\n  "scripts": { "a": "x" }\n}', "b", "c")).toBe('{\n  "scripts": { "b": "c", "a": "x" }\n}');
  expect(addScript('{\r\n    "scripts": {}\r\n}', "b", "c")).toBe(
    '{\r\n    "scripts": {\r\n        "b": "c"\r\n    }\r\n}',
  );
  expect(() => addScript('{"config": {"scripts": {}}, "scripts": {"a": "b"}}', "b", "c")).toThrow(
    'Add to its scripts: "b": "c"',
  );
});

it("has examples with models that have not ended", () => {
  const { names } = bundledModels(new Date(bundledModels(new Date()).read));
  for (const { fields } of Object.values(exampleCalls))
    expect(names.find(fields.model)).toMatchObject({ status: "active" });
});
