import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { childEnvironment } from "#lib/platform/config";
import { protocols } from "#tests/support/conversation-protocols";
import { isExtended, itExtended } from "#tests/support/extended";
import { type ProviderDouble, startProvider } from "#tests/support/provider-double";
import { freePort } from "#tests/support/serve";
import { streamAnswer } from "#tests/support/tape-conversations";
import { temporaryFolder } from "#tests/support/temporary-folder";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);
const protocol = protocols.chat;

/** The package as a user has it: installed from its tarball into an empty folder. */
const folder = temporaryFolder();
let server: ProviderDouble;
/** Size of the package once it is installed, in bytes. */
let unpackedSize: number;

beforeAll(async () => {
  const built = await run(process.execPath, ["lib/testing/build.mjs", "--out", join(folder, "built")], { cwd: root });
  const [, tarball = "", size] = /^(.+\.tgz): \d+ bytes, (\d+) unpacked$/m.exec(built.stdout) ?? [];
  unpackedSize = Number(size);
  await writeFile(join(folder, "package.json"), '{"private": true}');
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", "--no-save", tarball], { cwd: folder });
  await symlink(join(root, "node_modules/vitest"), join(folder, "node_modules/vitest"));
  server = await startProvider(streamAnswer(protocol, protocol.answerOf({ text: "Sunscreen.", calls: [] }, "a1")));
});
afterAll(async () => {
  await server.close();
});

type Result = { code: number; stdout: string; stderr: string };

async function tapedeck(
  args: readonly string[],
  environment: Record<string, string | undefined> = {},
): Promise<Result> {
  const changes = {
    CI: undefined,
    NODE_ENV: undefined,
    NODE_OPTIONS: undefined,
    VITEST: undefined,
    OPENAI_API_KEY: undefined,
  };
  const options = {
    cwd: folder,
    env: childEnvironment({ ...changes, OPENAI_BASE_URL: `${server.origin}/v1`, ...environment }),
  };
  return run(process.execPath, ["node_modules/.bin/tapedeck", ...args], options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

it("has no dependencies, and 1 MB at most", async () => {
  const installed = join(folder, "node_modules/@tapedeck/testing");
  const { dependencies, exports } = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
  expect(dependencies).toBeUndefined();
  expect(Object.keys(exports)).toEqual([".", "./vitest", "./jest", "./node-test", "./playwright", "./package.json"]);
  expect(unpackedSize).toBeLessThan(1_000_000);
});

it("refers to no page of a server, which its users do not have", async () => {
  const files = await readdir(join(folder, "node_modules/@tapedeck/testing/dist"), { withFileTypes: true });
  const texts = files.flatMap((file) => (file.isFile() ? [readFile(join(file.parentPath, file.name), "utf8")] : []));
  expect((await Promise.all(texts)).join("\n").match(/.{40}[ (]\/docs\/.{20}/g)).toBeNull();
});

it("has the catalogue of models, and audits tapes with it", async () => {
  const tape = join(folder, "old-tapes/sings");
  await mkdir(tape, { recursive: true });
  await writeFile(join(tape, "tape.json"), '{"test": "old.test.ts > sings"}');
  const request = { method: "POST", path: "/v1/messages", query: "", body: { json: { model: "claude-2.0" } } };
  const recording = { provider: "anthropic", request, response: { headers: {} }, chunks: [] };
  await writeFile(join(tape, "001.cassette.json"), JSON.stringify(recording));
  // Is matched by its day of release.
  await writeFile(join(folder, "tuned.env"), "MODEL=ft:gpt-4o-mini-2024-07-18:acme::id\n");
  const { models } = JSON.parse((await tapedeck(["audit", "--code", "tuned.env", "--json"])).stdout);
  expect(models).toMatchObject([{ id: "gpt-4o-mini" }]);
  const { code, stdout } = await tapedeck(["audit", "--tapes", "old-tapes", "--fail-within", "30d"]);
  expect([code, stdout]).toEqual([1, expect.stringContaining("anthropic claude-2.0  ended 2025-07-21")]);
  expect(await readFile(join(folder, "node_modules/@tapedeck/testing/NOTICE.md"), "utf8")).toContain("MIT License");
});

it("loads as an ES module and as CommonJS", async () => {
  const load = ["-e", 'process.stdout.write(typeof require("@tapedeck/testing").startTape)'];
  expect((await run(process.execPath, load, { cwd: folder })).stdout).toBe("function");
  const module = 'import { startTape } from "@tapedeck/testing"; process.stdout.write(typeof startTape)';
  expect((await run(process.execPath, ["--input-type=module", "-e", module], { cwd: folder })).stdout).toBe("function");
});

/** Other runners are tested in tests/extended. */
const packs = `import { tape } from "@tapedeck/testing/vitest";
  import { expect, test } from "vitest";
  test("packs", async () => {
    const t = await tape();
    expect(await ask(t.openai)).toContain("Sunscreen.");
    expect((await t.requests())[0].body.model).toBe("m");
  });`;
const command = ["node", "node_modules/vitest/vitest.mjs", "run", "--root", ".", "trip.test.mjs"];
const ask = `async function ask(baseURL) {
  const body = { model: "m", stream: true, messages: [{ role: "user", content: "What should I pack?" }] };
  const headers = { authorization: "Bearer " + process.env.OPENAI_API_KEY };
  const response = await fetch(baseURL + "/chat/completions", { method: "POST", headers, body: JSON.stringify(body) });
  return response.text();
}`;

it("sets a project up", async () => {
  await writeFile(join(folder, "requirements.txt"), "pytest\n");
  const { code, stdout } = await tapedeck(["init", "--dry-run"]);
  await rm(join(folder, "requirements.txt"));
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^Found pytest with .*\nwould add +tapedeck\.config\.json\n/),
  ]);
});

it("a test is recorded on a tape of its own, which has the name of its package, and replayed", async () => {
  await rm(join(folder, "tapes"), { recursive: true, force: true });
  await mkdir(join(folder, "packages/one"), { recursive: true });
  await writeFile(join(folder, "packages/one/trip.test.mjs"), `${packs}\n${ask}\n`);
  const command = [
    "sh",
    "-c",
    "cd packages/one && node ../../node_modules/vitest/vitest.mjs run --root . trip.test.mjs",
  ];
  const requestCount = server.requests.length;
  const recorded = await tapedeck(["run", "--", ...command], { OPENAI_API_KEY: "any" });
  expect(recorded, recorded.stdout).toMatchObject({ code: 0, stderr: expect.stringContaining("0 played, 1 recorded") });
  const path = join(folder, "tapes/packages/one/trip-test-mjs/packs/tape.json");
  expect((await stat(path)).isFile()).toBe(true);
  const replayed = await tapedeck(["run", "--mode", "replay", "--complete", "--", ...command]);
  expect(replayed, replayed.stdout).toMatchObject({ code: 0, stderr: expect.stringContaining("1 played, 0 recorded") });
  expect(server.requests.length - requestCount).toBe(1);
  const file = "tapes/packages/one/trip-test-mjs/packs/001.cassette.json";
  const shown = await tapedeck(["show", file]);
  expect(shown.stdout).toMatch(/Request\n\[user\] What should I pack\?\n\nAnswer\nSunscreen\.\n$/);
  expect((await tapedeck(["play", file, "--speed", "max"])).stdout).toBe("Sunscreen.\n");
});

itExtended("tests of one name in two packages of a project have tapes of their own", async () => {
  await rm(join(folder, "tapes"), { recursive: true, force: true });
  for (const name of ["one", "two"]) {
    await mkdir(join(folder, "packages", name), { recursive: true });
    await writeFile(join(folder, "packages", name, "trip.test.mjs"), `${packs}\n${ask}\n`);
  }
  const each = "(cd packages/$name && node ../../node_modules/vitest/vitest.mjs run --root . trip.test.mjs)";
  const all = ["--", "sh", "-c", `for name in one two; do ${each} || exit 1; done`];
  const recorded = await tapedeck(["run", "--mode", "record", ...all], { OPENAI_API_KEY: "any" });
  expect(recorded, recorded.stdout).toMatchObject({ code: 0, stderr: expect.stringContaining("2 recorded") });
  const { tapes } = JSON.parse((await tapedeck(["show", "--json"])).stdout) as { tapes: { test: string }[] };
  expect(tapes.map(({ test }) => test).sort()).toEqual([
    "packages/one/trip.test.mjs > packs",
    "packages/two/trip.test.mjs > packs",
  ]);
  await rm(join(folder, "packages"), { recursive: true });
});

it.runIf(isExtended)(
  "vitest: tests of one name in a file have tapes of their own, numbered in the order of the file",
  async () => {
    await rm(join(folder, "tapes"), { recursive: true, force: true });
    const text = `import { tape } from "@tapedeck/testing/vitest";
    import { describe, expect, test } from "vitest";
    const send = (t, city) => fetch(t.openai + "/chat/completions", {
      method: "POST", body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: city }] }),
    }).then((response) => response.text());
    describe("a trip", () => {
      test.each(["Lisbon", "Porto"])("packs", async (city) => {
        expect(await send(await tape(), city)).toContain("Sunscreen.");
      });
    });
    describe("a trip", () => {
      test.concurrent("packs", async (context) => {
        context.expect(await send(await tape({ context }), "Faro")).toContain("Sunscreen.");
      });
    });`;
    await writeFile(join(folder, "trip.test.mjs"), text);
    const recorded = await tapedeck(["run", "--", ...command, "--sequence.shuffle", "--sequence.seed", "3"]);
    expect(recorded, recorded.stdout).toMatchObject({ code: 0, stderr: expect.stringContaining("3 recorded") });
    const { tapes } = JSON.parse((await tapedeck(["show", "--json"])).stdout) as {
      tapes: { test: string; exchanges: { prompt: string }[] }[];
    };
    const prompts = tapes.map(({ test, exchanges }) => [test, exchanges.map(({ prompt }) => prompt)]);
    expect(Object.fromEntries(prompts)).toEqual({
      "trip.test.mjs > a trip > packs": ["Lisbon"],
      "trip.test.mjs > a trip > packs (2)": ["Porto"],
      "trip.test.mjs > a trip > packs (3)": ["Faro"],
    });
    const replayed = await tapedeck(["run", "--mode", "replay", "--complete", "--", ...command]);
    expect(replayed, replayed.stdout).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("3 played, 0 recorded"),
    });
  },
);

it.runIf(isExtended)("tests that would share a tape by mistake are errors that say what to do", async () => {
  const vitest = `import { tape } from "@tapedeck/testing/vitest";
    import { test } from "vitest";
    test.concurrent("a", async () => void (await tape()));
    test.concurrent("b", async () => void (await tape()));`;
  await writeFile(join(folder, "trip.test.mjs"), vitest);
  const concurrent = await tapedeck(["run", "--", ...command]);
  expect(concurrent.code).toBe(1);
  expect(concurrent.stdout + concurrent.stderr).toContain("A concurrent test passes its context: tape({ context }).");
  const nodeTest = `import { test } from "node:test";
    import { tape } from "@tapedeck/testing/node-test";
    test("packs", async (context) => { await tape(context); await tape(context); });
    test("packs", async (context) => { await tape(context); });`;
  await writeFile(join(folder, "trip.test.mjs"), nodeTest);
  const named = await tapedeck(["run", "--", "node", "--test", "--test-reporter", "tap", "trip.test.mjs"]);
  expect(named.stdout).toMatch(/# pass 1\n# fail 1\n/);
  expect(named.stdout).toContain('Two tests are named "trip.test.mjs > packs". Give them names of their own');
});

it("names the package that has other commands", async () => {
  const unknown = await tapedeck(["cassettes", "list"]);
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    expect.stringMatching(/unknown command 'cassettes'\n[\s\S]*servers: npx @tapedeck\/server --help\n$/),
  ]);
  const sse = await tapedeck(["import", "sse", "stream.sse"]);
  expect([sse.code, sse.stderr]).toEqual([
    2,
    expect.stringMatching(
      /choices are vcr, har, aimock\. .* raw event stream.*: npx @tapedeck\/server cassettes import\n/,
    ),
  ]);
});

it("without a folder for temporary files, says so and ends", async () => {
  const { code, stderr } = await tapedeck(["run", "--", "true"], { TMPDIR: "/proc/missing" });
  const message = /cannot be written: ENOENT.*\. Set TMPDIR to a folder that can be written\.\n$/;
  expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
});

itExtended("without a command, prints its help and ends well", async () => {
  expect(await tapedeck([])).toMatchObject({ code: 0, stdout: expect.stringContaining("Usage: tapedeck") });
});

/** Records a call on the tape of each test, without `tapedeck run`. */
async function recordTapes(tests: readonly string[]): Promise<void> {
  const record = `import { startTape } from "@tapedeck/testing";
    ${ask}
    for (const test of ${JSON.stringify(tests)}) {
      const t = await startTape(test);
      await ask(t.openai);
      await t.end();
    }
    process.exit();`;
  await writeFile(join(folder, "record.mjs"), record);
  const env = childEnvironment({ CI: undefined, TAPEDECK_PROXY: undefined, OPENAI_BASE_URL: `${server.origin}/v1` });
  await run(process.execPath, ["record.mjs"], { cwd: folder, env });
}

it("without tapedeck run, a test that sends nothing to its tape is told what intercepts its clients, and fails in CI if it has recordings", async () => {
  onTestFinished(() => rm(join(folder, "tapes"), { recursive: true, force: true }));
  const idle = `import { tape } from "@tapedeck/testing/vitest";
    import { test } from "vitest";
    test("asserts nothing", async () => void (await tape()));
    test("asserts nothing either", async () => void (await tape()));
    test("packs", async () => void (await tape()).nothing());
    ${ask}
    test("hides its miss", async () => void (await ask((await tape()).openai)));`;
  await writeFile(join(folder, "idle.test.mjs"), idle);
  const [program = "", ...args] = [...command.slice(0, -1), "idle.test.mjs"];
  const vitest = async (CI: string | undefined) => {
    const unset = { TAPEDECK_PROXY: undefined, FORCE_COLOR: undefined };
    const env = childEnvironment({ ...unset, CI, NO_COLOR: "1", OPENAI_BASE_URL: `${server.origin}/v1` });
    const { stdout, stderr } = await run(program, args, { cwd: folder, env }).catch((failure) => failure);
    return stdout + stderr;
  };
  const output = await vitest("1");
  const advice = "Clients without its base URL (t.openai) are only intercepted with: npx tapedeck run -- <command>\n";
  for (const test of ["asserts nothing", "packs"])
    expect(output).toContain(`tapedeck: No call came to the tape "idle.test.mjs > ${test}". ${advice}`);
  expect(output).not.toMatch(/--hosts|either"\. Clients/);
  expect(output).toContain("2 failed | 2 passed");
  expect(output).toMatch(/Error: tapedeck: 0 played, 0 recorded, 1 missed[\s\S]*idle\.test\.mjs > hides its miss/);
  await recordTapes(["idle.test.mjs > asserts nothing"]);
  const unused = `No call came to the tape "idle.test.mjs > asserts nothing", whose recordings were not used: 1. ${advice}`;
  const failed = await vitest("1");
  expect(failed).toContain(`Error: ${unused}`);
  expect(failed).toContain("3 failed | 1 passed");
  if (!isExtended) return;
  const passed = await vitest(undefined);
  expect(passed).toContain(`tapedeck: ${unused}`);
  expect(passed).toContain("1 failed | 3 passed");
});

itExtended("without tapedeck run, tests skipped after their tapes began do not fail, whatever those have", async () => {
  onTestFinished(() => rm(join(folder, "tapes"), { recursive: true, force: true }));
  const names = ["skips", "is to do", "is told what is unused"];
  const files = ["skipped-node-test.test.mjs", "skipped-vitest.test.mjs"];
  await recordTapes(files.flatMap((file) => names.map((name) => `${file} > ${name}`)));
  const runTests = async (file: string, text: string, [program = "", ...args]: readonly string[]) => {
    await writeFile(join(folder, file), text);
    const env = childEnvironment({ CI: "1", TAPEDECK_PROXY: undefined, FORCE_COLOR: undefined, NO_COLOR: "1" });
    const { stdout, stderr } = await run(program, [...args, file], { cwd: folder, env }).catch((failure) => failure);
    return stdout + stderr;
  };
  const nodeTest = `import { test } from "node:test";
    import { tape } from "@tapedeck/testing/node-test";
    test("skips", async (context) => { await tape(context); context.skip("no database"); });
    test("is to do", async (context) => { await tape(context); context.todo(); });
    test("is told what is unused", async (context) => void (await tape(context, { faults: [{ call: 7, status: 429 }] })));`;
  const reporter = ["node", "--test", "--test-reporter", "tap"];
  const output = await runTests("skipped-node-test.test.mjs", nodeTest, reporter);
  expect(output).toMatch(/^ok 1 - skips # SKIP no database$/m);
  expect(output).toMatch(/^ok 2 - is to do # TODO$/m);
  expect(output).toMatch(/recordings were not used: 1\..*\n +Fault 1 was not used; number of calls: 0\.\n/);
  const vitest = `import { test } from "vitest";
    import { tape } from "@tapedeck/testing/vitest";
    test("skips", async (context) => { await tape(); context.skip(); });`;
  expect(await runTests("skipped-vitest.test.mjs", vitest, command.slice(0, -1))).toContain("Tests  1 skipped");
});

async function playwrightCommand(file: string): Promise<string[]> {
  await mkdir(join(folder, "node_modules/@playwright"), { recursive: true });
  const installed = join(folder, "node_modules/@playwright/test");
  if (!existsSync(installed)) await symlink(join(root, "node_modules/@playwright/test"), installed);
  return ["node", "node_modules/@playwright/test/cli.js", "test", file, "--reporter", "line"];
}

it("playwright: tests of an app run at once with tapes of their own, which options start without the fixture", async () => {
  onTestFinished(() => rm(join(folder, "playwright.config.mjs")));
  // It asks the model when both tests have asked it.
  const app = `import { createServer } from "node:http";
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hello" }] });
    const waiting = [];
    createServer(async (request, response) => {
      await new Promise((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 2) for (const each of waiting) each();
      });
      const answer = await fetch("https://api.openai.com/v1/chat/completions", { method: "POST", body });
      response.end(await answer.text());
    }).listen(Number(process.env.PORT), "127.0.0.1");`;
  await writeFile(join(folder, "app.mjs"), app);
  const PORT = String(await freePort());
  const origin = `http://127.0.0.1:${PORT}`;
  const config = { workers: 2, fullyParallel: true, webServer: { command: "node app.mjs", port: Number(PORT) } };
  await writeFile(join(folder, "playwright.config.mjs"), `export default ${JSON.stringify(config)};`);
  const text = `import { expect, test } from "@tapedeck/testing/playwright";
    for (const text of ["Sunscreen.", "An umbrella."]) test.describe(text, () => {
      test.use({ tapeOptions: { app: true, answers: [{ text }] } });
      test("packs", async ({ request }) => {
        expect(await (await request.get("${origin}")).text()).toContain(text);
      });
    });`;
  await writeFile(join(folder, "app.spec.mjs"), text);
  const { code, stdout, stderr } = await tapedeck(["run", "--", ...(await playwrightCommand("app.spec.mjs"))], {
    PORT,
  });
  expect({ code, stdout, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("2 from answers") });
});

itExtended("playwright: a test that is skipped or fails as expected has passed for its tape", async () => {
  onTestFinished(() => rm(join(folder, "tapes"), { recursive: true, force: true }));
  const text = (asks: boolean) => `import { test } from "@tapedeck/testing/playwright";
    ${ask}
    test("skips", async ({ tape }) => { ${asks ? "await ask(tape.openai);" : ""} test.skip(); });
    test("fails", async ({ tape }) => { ${asks ? "await ask(tape.openai);" : ""} test.fail(); throw new Error("known"); });`;
  const playwright = await playwrightCommand("skipped.spec.mjs");
  await writeFile(join(folder, "skipped.spec.mjs"), text(true));
  const recorded = await tapedeck(["run", "--mode", "record", "--", ...playwright], { OPENAI_API_KEY: "any" });
  expect(recorded, recorded.stdout).toMatchObject({ code: 0, stderr: expect.stringContaining("0 played, 2 recorded") });
  await writeFile(join(folder, "skipped.spec.mjs"), text(false));
  const env = childEnvironment({ CI: "1", NODE_OPTIONS: undefined, TAPEDECK_PROXY: undefined });
  const idle = await run(process.execPath, playwright.slice(1), { cwd: folder, env }).catch((failure) => failure);
  expect(idle.stdout + idle.stderr).toMatch(/ 1 skipped\n *1 passed/);
});

it("without tapedeck run, a package that lacks recordings is told once of tapes further up", async () => {
  const inPackage = join(folder, "packages/a");
  onTestFinished(async () => {
    for (const name of [".git", "kept", "packages", "tapedeck.config.json"])
      await rm(join(folder, name), { recursive: true, force: true });
  });
  await mkdir(inPackage, { recursive: true });
  await mkdir(join(folder, "kept/any"), { recursive: true });
  await mkdir(join(folder, ".git"), { recursive: true });
  await writeFile(join(folder, "kept/any/tape.json"), JSON.stringify({ schema: "tape/1", test: "any", exchanges: [] }));
  await writeFile(join(folder, "tapedeck.config.json"), '{"tapes": "kept"}');
  const asks = `import { startTape } from "@tapedeck/testing";
    import { channel } from "node:diagnostics_channel";
    for (const test of ["idle", "first", "second"]) {
      const t = await startTape(test);
      if (test !== "idle") await fetch(t.openai + "/chat/completions", { method: "POST", body: "{}" });
      await t.end().catch(({ message }) => console.error(message));
    }
    const holdsEnds = channel("undici:request:headers")[Symbol.for("tapedeck.ends")] === true;
    console.log(holdsEnds || Number.parseInt(process.versions.undici) >= 7);
    process.exit();`;
  await writeFile(join(inPackage, "asks.mjs"), asks);
  const env = childEnvironment({ CI: "1", TAPEDECK_PROXY: undefined });
  const { stdout, stderr } = await run(process.execPath, ["asks.mjs"], { cwd: inPackage, env });
  // Aborts of its fetch are those of a run's.
  expect(stdout).toBe("true\n");
  const [idle, line, counts] = stderr.split("\n");
  expect(idle).toMatch(/^tapedeck: No call came to the tape "idle"\. /);
  const told = "tapedeck: The tapes in ../../kept are not used here; a run in ../.. uses them.";
  expect([line, counts]).toEqual([told, "tapedeck: 0 played, 0 recorded, 1 missed, 0 unused"]);
  expect(stderr.split(told)).toHaveLength(2);
  // No report is stored that another command could show.
  expect(stderr).toMatch(/\n {2}Tapedeck has no recording for this request of "second"\. .*\n {2}Record it with: /);
  expect(stderr).not.toContain("tapedeck why");
});

it.runIf(isExtended)("without tapedeck run, the fixtures start a proxy of their own", async () => {
  await writeFile(join(folder, "trip.test.mjs"), `${packs}\n${ask}\n`);
  await rm(join(folder, "tapes"), { recursive: true, force: true });
  const requestCount = server.requests.length;
  const changes = { CI: undefined, OPENAI_BASE_URL: `${server.origin}/v1`, TAPEDECK_PROXY: undefined };
  const [program = "", ...args] = command;
  await run(program, args, { cwd: folder, env: childEnvironment({ ...changes, OPENAI_API_KEY: "any" }) });
  await run(program, args, { cwd: folder, env: childEnvironment({ ...changes, OPENAI_API_KEY: undefined }) });
  expect(server.requests.slice(requestCount).map(({ headers }) => headers.authorization)).toEqual(["Bearer any"]);
});
