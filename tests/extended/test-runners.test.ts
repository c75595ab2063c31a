import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium } from "#tests/support/chromium";
import { bareEnvironment, type Installed, installPackages, nodeOf } from "#tests/support/clients/install-packages";
import { protocols } from "#tests/support/conversation-protocols";
import { type ProviderDouble, startProvider } from "#tests/support/provider-double";
import { runProgram } from "#tests/support/run-program";
import { streamAnswer } from "#tests/support/tape-conversations";
import { temporaryFolder } from "#tests/support/temporary-folder";

/** The package for test suites with the test runners as npm installs them, on each supported version of Node.js. */
const root = resolve(import.meta.dirname, "../..");
const installTimeoutMs = 600_000;
const packages = ["vitest", "jest", "@playwright/test", "typescript", "@types/node", "openai", "bun", "deno"];

const built = temporaryFolder();
let installed: Installed;
let server: ProviderDouble;
const nodes = new Map<string, string>();

beforeAll(async () => {
  const output = execFileSync(process.execPath, ["lib/testing/build.mjs", "--out", built], { cwd: root });
  const [, tarball = ""] = /^(.+\.tgz): /.exec(output.toString()) ?? [];
  installed = installPackages([tarball, ...packages]);
  const versionOf = (name: string) =>
    JSON.parse(readFileSync(join(installed.folder, "node_modules", name, "package.json"), "utf8")).version;
  console.log(packages.map((name) => `${name} ${versionOf(name)}`).join(", "));
  const { chat } = protocols;
  server = await startProvider(streamAnswer(chat, chat.answerOf({ text: "Sunscreen.", calls: [] }, "a1")));
}, installTimeoutMs);
afterAll(async () => {
  await server?.close();
  installed?.remove();
});

type Format = "ES modules" | "CommonJS";
type Runner = {
  file: string;
  /** What the test file imports besides OpenAI's SDK. */
  imports: Record<string, string>;
  /** The test; `tape` has its own way to it in each runner. */
  test: (body: string) => string;
  command: (format: Format) => string[];
};

const check = 'if ((await ask(t.openai)) !== "Sunscreen.") throw new Error("another answer");';
/** Asks at the base URL of the tape, and without any. */
const checkBoth = `${check} ${check.replace("t.openai", "undefined")}`;
const ask = `async function ask(baseURL) {
  const messages = [{ role: "user", content: "What should I pack?" }];
  const stream = await new OpenAI({ baseURL }).chat.completions.create({ model: "m", stream: true, messages });
  let text = "";
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
  return text;
}`;

const runners: Record<string, Runner> = {
  vitest: {
    file: "trip.test.js",
    imports: { "{ test }": "vitest", "{ tape }": "@tapedeck/testing/vitest" },
    test: (body) => `test("packs", async () => { const t = await tape(); ${body} });`,
    command: () => ["node_modules/vitest/vitest.mjs", "run"],
  },
  "vitest in threads": {
    file: "trip.test.js",
    imports: { "{ test }": "vitest", "{ tape }": "@tapedeck/testing/vitest" },
    test: (body) => `test("packs", async () => { const t = await tape(); ${body} });`,
    command: () => ["node_modules/vitest/vitest.mjs", "run", "--pool=threads"],
  },
  jest: {
    file: "trip.test.js",
    imports: { "{ tape }": "@tapedeck/testing/jest" },
    test: (body) => `test("packs", async () => { const t = await tape(); ${body} });`,
    command: (format) => [
      ...(format === "ES modules" ? ["--experimental-vm-modules"] : []),
      "node_modules/jest/bin/jest.js",
    ],
  },
  "node:test": {
    file: "trip.test.js",
    imports: { "{ test }": "node:test", "{ tape }": "@tapedeck/testing/node-test" },
    test: (body) => `test("packs", async (context) => { const t = await tape(context); ${body} });`,
    command: () => ["--test"],
  },
  playwright: {
    file: "trip.spec.js",
    imports: { "{ test }": "@tapedeck/testing/playwright" },
    test: (body) => `test("packs", async ({ tape: t }) => { ${body} });`,
    command: () => ["node_modules/@playwright/test/cli.js", "test"],
  },
};

/** Returns a test file. Vitest compiles `import` in CommonJS projects too, and cannot be loaded with `require`. */
function sourceOf(name: string, { imports, test }: Runner, format: Format): string {
  const lines = Object.entries({ OpenAI: "openai", ...imports }).map(([names, from]) =>
    format === "CommonJS" && !name.startsWith("vitest")
      ? `const ${names} = require("${from}");`
      : `import ${names} from "${from}";`,
  );
  return `${lines.join("\n")}\n${test(checkBoth)}\n${ask}\n`;
}

/** Writes a project with one test file, below the folder with the installed packages. */
function writeProject(name: string, format: Format, source: string): string {
  const folder = join(installed.folder, "project");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const type = format === "CommonJS" ? "commonjs" : "module";
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type }));
  writeFileSync(join(folder, (runners[name] as Runner).file), source);
  return folder;
}

type Run = { node: string; folder: string; args: string[]; environment?: Record<string, string> };

/** Runs a program of the installed packages in a project with a version of Node.js. */
async function runInstalled({ node, folder, args, environment = {} }: Run) {
  const at = (arg: string) => (arg.startsWith("node_modules/") ? join(installed.folder, arg) : arg);
  const { PATH = "", ...rest } = bareEnvironment(installed.folder, { NODE_ENV: "test", ...environment });
  const env = { ...rest, PATH: `${dirname(node)}:${PATH}` } as NodeJS.ProcessEnv;
  const { code, stdout, stderr } = await runProgram(node, args.map(at), { cwd: folder, env });
  return { code, output: stdout + stderr };
}

/** Runs `tapedeck run` in a project with a version of Node.js. */
const tapedeckRun = ({ args, ...run }: Run) =>
  runInstalled({ ...run, args: ["node_modules/@tapedeck/testing/dist/tapedeck.cjs", "run", ...args] });

/** Asks a model for a page, for its script and for a form, once two pages have been asked for. */
const browserApp = `import { createServer } from "node:http";
const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hello" }] });
const ask = async () => {
  const answer = await fetch("https://api.openai.com/v1/chat/completions", { method: "POST", body });
  return (await answer.json()).choices[0].message.content;
};
const script = 'document.querySelector("button").onclick = async () => { document.querySelector("article").textContent = await (await fetch("/ask")).text(); };';
const waiting = [];
createServer(async ({ url, headers }, response) => {
  if (url !== "/") return response.end(headers.cookie ?? await ask());
  await new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 2) for (const each of waiting) each();
  });
  response.writeHead(200, { "content-type": "text/html" });
  response.end("<h1>" + await ask() + "</h1><button>Ask</button><article></article><script>" + script + "</script>");
}).listen(4310, "127.0.0.1");`;
const browserTests = `import { expect, test } from "@tapedeck/testing/playwright";
for (const text of ["Sunscreen.", "An umbrella."]) test.describe(text, () => {
  test.use({ tapeOptions: { app: true, answers: [{ text }] } });
  test("packs", async ({ page, context, browser }) => {
    await page.goto("http://127.0.0.1:4310/");
    await expect(page.getByRole("heading")).toHaveText(text);
    await context.clearCookies();
    await page.getByText("Ask").click();
    await expect(page.getByRole("article")).toHaveText(text);
    const other = await (await browser.newContext()).newPage();
    await other.goto("http://127.0.0.1:4310/ask");
    await expect(other.locator("body")).toHaveText(text);
  });
});`;

describe.each(["20", "22", "24"])("Node.js %s", (version) => {
  beforeAll(() => {
    const node = nodeOf(version);
    expect(execFileSync(node, ["-p", "process.version"]).toString()).toMatch(new RegExp(`^v${version}\\.`));
    nodes.set(version, node);
  }, installTimeoutMs);

  const cases = Object.keys(runners).flatMap((name) =>
    (["ES modules", "CommonJS"] as const).map((format) => [name, format] as const),
  );
  it.each(cases)("%s with %s: a test is recorded and replayed", async (name, format) => {
    const runner = runners[name] as Runner;
    const node = nodes.get(version) as string;
    const folder = writeProject(name, format, sourceOf(name, runner, format));
    const command = ["--", node, ...runner.command(format)];
    const requestCount = server.requests.length;
    const addresses = { "api.openai.com": server.origin };
    writeFileSync(join(folder, "tapedeck.config.json"), JSON.stringify({ addresses }));
    const environment = { OPENAI_API_KEY: "own" };
    const recorded = await tapedeckRun({ node, folder, args: command, environment });
    expect(recorded).toEqual({ code: 0, output: expect.stringContaining("0 played, 2 recorded, 0 missed, 0 unused") });
    const replayed = await tapedeckRun({ node, folder, args: ["--complete", ...command], environment: { CI: "true" } });
    expect(replayed).toEqual({ code: 0, output: expect.stringContaining("2 played, 0 recorded, 0 missed, 0 unused") });
    expect(server.requests.length - requestCount).toBe(2);
    const tapeFile = join(folder, "tapes", runner.file.replaceAll(".", "-"), "packs/tape.json");
    const tape = JSON.parse(readFileSync(tapeFile, "utf8"));
    expect(tape).toMatchObject({ test: `${runner.file} > packs` });
  });
});

describe.each([
  ["bun", ["test"], 'import { test } from "bun:test";'],
  ["deno", ["test", "-A", "--no-check"], "const { test } = Deno;"],
] as const)("%s", (name, args, imports) => {
  const run = (source: string) => {
    const folder = writeProject("vitest", "ES modules", `${imports}\n${source}\n${ask}\n`);
    writeFileSync(
      join(folder, "tapedeck.config.json"),
      JSON.stringify({ addresses: { "api.openai.com": server.origin } }),
    );
    const command = ["--", `node_modules/.bin/${name}`, ...args];
    return tapedeckRun({ node: process.execPath, folder, args: command, environment: { OPENAI_API_KEY: "own" } });
  };

  it("records a test with startTape on its tape, with and without a base URL", async () => {
    const { code, output } = await run(
      `import { startTape } from "@tapedeck/testing"; import OpenAI from "openai";
      test("packs", async () => { const t = await startTape("packs"); ${checkBoth} await t.end(); });`,
    );
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining("0 played, 2 recorded, 0 missed") });
    expect(readdirSync(join(installed.folder, "project/tapes"))).toEqual(["packs"]);
  });

  it.runIf(name === "bun").each(["Vitest", "Jest"])(
    "says what to use in place of the fixture of %s",
    async (runner) => {
      const { code, output } = await run(
        `import { tape } from "@tapedeck/testing/${runner.toLowerCase()}"; test("packs", () => tape());`,
      );
      expect({ code, output }).toEqual({
        code: 1,
        output: expect.stringContaining(`needs ${runner}, and this is another`),
      });
    },
  );
});

it.each(Object.keys(runners))(
  "%s: without tapedeck run, a test in CI that leaves its recordings fails",
  async (name) => {
    const runner = runners[name] as Runner;
    const sourceWith = (body: string) => sourceOf(name, { ...runner, test: () => runner.test(body) }, "ES modules");
    const folder = writeProject(name, "ES modules", sourceWith(check));
    const run = { node: process.execPath, folder, args: runner.command("ES modules") };
    const environment = { OPENAI_BASE_URL: `${server.origin}/v1`, OPENAI_API_KEY: "own" };
    expect((await tapedeckRun({ ...run, args: ["--", process.execPath, ...run.args], environment })).code).toBe(0);
    writeFileSync(join(folder, runner.file), sourceWith(""));
    const idle = `No call came to the tape "${runner.file} > packs", whose recordings were not used: 1.`;
    const inCi = await runInstalled({ ...run, environment: { CI: "true" } });
    expect(inCi).toEqual({ code: 1, output: expect.stringContaining(idle) });
    expect(await runInstalled(run)).toEqual({ code: 0, output: expect.stringContaining(`tapedeck: ${idle}`) });
  },
);

it("playwright in a browser: pages of tests that run at once have the calls that the app makes for them", async () => {
  const folder = writeProject("playwright", "ES modules", browserTests);
  writeFileSync(join(folder, "app.mjs"), browserApp);
  const config = {
    workers: 2,
    fullyParallel: true,
    use: { launchOptions: { executablePath: findChromium(), args: ["--no-sandbox"] } },
    webServer: { command: "node app.mjs", port: 4310 },
  };
  writeFileSync(join(folder, "playwright.config.mjs"), `export default ${JSON.stringify(config)};`);
  const command = ["--", process.execPath, ...(runners.playwright as Runner).command("ES modules")];
  const { code, output } = await tapedeckRun({ node: process.execPath, folder, args: command });
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining("0 missed, 0 unused, 6 from answers") });
});

it("jest replaces the tape of a test that passes, in mode record, and no other", async () => {
  const fails = (end: string) => `if (process.env.FAIL) { ${end} }`;
  const tests = {
    passes: "",
    throws: fails('throw new Error("on purpose");'),
    snapshot: fails("expect(1).toMatchInlineSnapshot(`2`);"),
    assertions: fails("expect.assertions(3);"),
  };
  const source = [
    'const OpenAI = require("openai");',
    'const { tape } = require("@tapedeck/testing/jest");',
    ...Object.entries(tests).map(
      ([name, end]) => `test("${name}", async () => { const t = await tape(); ${check} ${end} });`,
    ),
    `test.failing("failing", async () => { const t = await tape(); ${check} throw new Error("as it must"); });`,
    ask,
  ];
  const folder = writeProject("jest", "CommonJS", source.join("\n"));
  const environment = { OPENAI_BASE_URL: `${server.origin}/v1`, OPENAI_API_KEY: "own", CI: "true" };
  const command = ["--mode", "record", "--", process.execPath, ...(runners.jest as Runner).command("CommonJS")];
  const run = (added: Record<string, string>) =>
    tapedeckRun({ node: process.execPath, folder, args: command, environment: { ...environment, ...added } });
  expect(await run({})).toEqual({ code: 0, output: expect.stringContaining("5 recorded") });
  const { code, output } = await run({ FAIL: "1" });
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining("3 failed, 2 passed, 5 total") });
  const kept = [...output.matchAll(/trip\.test\.js > (\w+): The test failed, so its old tape stays/g)];
  expect(kept.map(([, name]) => name)).toEqual(["assertions", "snapshot", "throws"]);
});

it("jest tells tests of one name from a test that it runs again", async () => {
  const source = [
    'const OpenAI = require("openai");',
    'const { tape } = require("@tapedeck/testing/jest");',
    "let attempt = 0;",
    "jest.retryTimes(1);",
    `test.each([1, 2])("same", async () => { const t = await tape(); ${check} });`,
    `test("again", async () => { const t = await tape(); ${check} attempt += 1; expect(attempt).toBe(2); });`,
    ask,
  ];
  const folder = writeProject("jest", "CommonJS", source.join("\n"));
  const environment = { OPENAI_BASE_URL: `${server.origin}/v1`, OPENAI_API_KEY: "own" };
  const args = ["--", process.execPath, ...(runners.jest as Runner).command("CommonJS")];
  const { code, output } = await tapedeckRun({ node: process.execPath, folder, args, environment });
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining("1 failed, 2 passed, 3 total") });
  expect(output).toContain('Two tests are named "same". Give them names of their own');
  // The second attempt plays what the first one recorded.
  expect(output).toContain("1 played, 2 recorded, 0 missed, 0 unused");
});

it("the types of every entry compile, as an ES module and as CommonJS", () => {
  const uses = Object.entries({ vitest: "", jest: "", "node-test": "{} as never" }).map(
    ([entry, argument], index) => `import { tape as tape${index} } from "@tapedeck/testing/${entry}";
      export const openai${index}: () => Promise<string> = async () => (await tape${index}(${argument})).openai;`,
  );
  const playwright = `import { expect, test } from "@tapedeck/testing/playwright";
    test.use({ tapeOptions: { faults: [{ call: 1, jitterMs: 5, seed: 7 }] } });
    test("x", async ({ tape }) => { const url: string = tape.openai; expect(url).toBe(""); });`;
  const start = `import { startTape, type TestTape } from "@tapedeck/testing";
    export const started: Promise<TestTape> = startTape("x", { mode: "replay" });`;
  const { folder } = installed;
  for (const ending of ["mts", "cts"]) {
    writeFileSync(join(folder, `types.${ending}`), [...uses, playwright, start].join("\n"));
  }
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", "--skipLibCheck"];
  const tsc = join(folder, "node_modules/typescript/bin/tsc");
  const compile = () =>
    execFileSync(process.execPath, [tsc, ...options, "types.mts", "types.cts"], { cwd: folder, encoding: "utf8" });
  expect(compile()).toBe("");
  writeFileSync(join(folder, "types.cts"), `${start}\nstartTape("x", { mode: "replay", speed: "fast" });`);
  expect(compile).toThrow();
});
