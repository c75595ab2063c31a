import { execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { parse } from "yaml";
import { childEnvironment } from "#lib/platform/config";
import { protocols } from "#tests/support/conversation-protocols";
import { type Answer, errorOf, type ProviderDouble, startProvider } from "#tests/support/provider-double";
import { runProgram } from "#tests/support/run-program";
import { temporaryFolder } from "#tests/support/temporary-folder";

/** The steps of the GitHub Action, run by bash as GitHub runs them, in a repository with a remote of its own. */
const root = resolve(import.meta.dirname, "../..");
const file = join(root, "lib/testing/action/action.yml");

type Step = { id: string; if?: string; run: string; shell: string; env?: Record<string, string> };
type Action = { inputs: Record<string, { default?: string }>; runs: { steps: Step[] } };

const pullRequest = "https://github.example/pull/1";
const question = (name: string, model: string) => ({
  model,
  messages: [{ role: "user", content: `Pack for ${name}?` }],
});
/** Asks for a trip on the tape of each test. */
const suite = `
  import { test } from "node:test";
  import { tape } from "@tapedeck/testing/node-test";
  for (const [name, model] of [["lisbon", "m-1"], ["porto", "m-2"]]) {
    test(name, async (context) => {
      const url = (await tape(context)).openai + "/chat/completions";
      const body = JSON.stringify({ model, messages: [{ role: "user", content: "Pack for " + name + "?" }] });
      const headers = { "content-type": "application/json", authorization: "Bearer " + process.env.OPENAI_API_KEY };
      const response = await fetch(url, { method: "POST", headers, body });
      if (!response.ok) throw new Error(await response.text());
    });
  }`;

const built = temporaryFolder();
let tarball: string;
beforeAll(async () => {
  const output = execFileSync(process.execPath, ["lib/testing/build.mjs", "--out", built], { cwd: root });
  [, tarball = ""] = /^(.+\.tgz): /m.exec(output.toString()) ?? [];
});

let folder: string;
let project: string;
let server: ProviderDouble;
/** Models whose answers have lost their usage. */
let changed: string[];
/** Models that the provider no longer has. */
let ended: string[];

const answer: Answer = (response, received) => {
  const { model } = JSON.parse(received.body) as { model: string };
  if (ended.includes(model)) return errorOf(404, "not_found_error", `There is no ${model}.`)(response, received);
  const whole = protocols.chat.answerOf({ text: "Sunscreen.", calls: [] }, "a1") as Record<string, unknown>;
  if (changed.includes(model)) delete whole.usage;
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ ...whole, model }));
};

const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: project, encoding: "utf8" });

beforeEach(async () => {
  folder = temporaryFolder();
  project = join(folder, "project");
  changed = [];
  ended = [];
  server = await startProvider(answer);
  await mkdir(project);
  await writeFile(join(project, "package.json"), '{"private": true}');
  await writeFile(join(project, ".gitignore"), "node_modules\n.tapedeck\n");
  await writeFile(join(project, "suite.mjs"), suite);
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", "--no-save", tarball], { cwd: project });
  // Notes its arguments, and answers as GitHub's own command does.
  const gh = `#!/bin/bash\nprintf '%s\\n' "$*" >> "${folder}/gh"\ncase "$2" in list) cat "${folder}/pull-requests" ;; create) echo ${pullRequest} | tee "${folder}/pull-requests" ;; esac\n`;
  await writeFile(join(folder, "pull-requests"), "");
  await mkdir(join(folder, "bin"));
  await writeFile(join(folder, "bin/gh"), gh);
  await chmod(join(folder, "bin/gh"), 0o755);
  execFileSync("git", ["init", "--quiet", "--bare", join(folder, "remote")]);
  git("init", "--quiet", "--initial-branch", "main");
  git("remote", "add", "origin", join(folder, "remote"));
});

type Result = { code: number | null; output: string; outputs: Record<string, string>; summary: string };

/** Runs the action with these inputs. */
async function act(inputs: Record<string, string>): Promise<Result> {
  const action = parse(await readFile(file, "utf8")) as Action;
  const outputs: Record<string, string> = {};
  const resolveText = (value: string) =>
    value.replace(/\$\{\{ (\S+) \}\}/g, (_all, path: string) => {
      if (path === "github.token") return "token";
      const [kind, name = ""] = path.split(".");
      return kind === "inputs" ? (inputs[name] ?? action.inputs[name]?.default ?? "") : (outputs[path] ?? "");
    });
  const [summary, script, output] = ["summary", "script", "output"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(summary, "");
  let printed = "";
  for (const step of action.runs.steps) {
    const [, condition, value] = /^(\S+) == '(.*)'$/.exec(step.if ?? "") ?? [];
    if (condition && outputs[condition] !== value) continue;
    await writeFile(script, step.run);
    await writeFile(output, "");
    const { PATH } = childEnvironment();
    const variables = Object.entries(step.env ?? {}).map(([name, text]) => [name, resolveText(text)]);
    const env = childEnvironment({
      ...{ CI: undefined, VITEST: undefined, NODE_ENV: undefined, npm_config_offline: "true" },
      // Under `npx -p node@22 npm test`, npx would look for the package there.
      npm_config_package: undefined,
      ...{ PATH: `${join(folder, "bin")}${delimiter}${PATH}`, RUNNER_TEMP: folder },
      ...{ GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: output },
      ...{ OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: `${server.origin}/v1` },
      ...Object.fromEntries(variables),
    });
    const bash = ["--noprofile", "--norc", "-eo", "pipefail", script];
    const { code, stdout, stderr } = await runProgram("bash", bash, { cwd: project, env });
    printed += stdout + stderr;
    for (const line of (await readFile(output, "utf8")).split("\n").filter(Boolean))
      outputs[`steps.${step.id}.outputs.${line.slice(0, line.indexOf("="))}`] = line.slice(line.indexOf("=") + 1);
    if (code !== 0) return { code, output: printed, outputs, summary: await readFile(summary, "utf8") };
  }
  return { code: 0, output: printed, outputs, summary: await readFile(summary, "utf8") };
}

const test = "node suite.mjs";

/** Files that differ in the newest commit that was pushed. */
const pushedFiles = () =>
  git("--git-dir", join(folder, "remote"), "diff", "--name-only", "tapedeck/recordings~1", "tapedeck/recordings")
    .trim()
    .split("\n");

async function record(): Promise<void> {
  const recorded = await act({ task: "run", test, options: "--mode auto" });
  expect(recorded, recorded.output).toMatchObject({ code: 0 });
  git("add", "-A");
  git("commit", "--quiet", "-m", "Record");
}

it("puts no input into a script", async () => {
  const { runs } = parse(await readFile(file, "utf8")) as Action;
  expect(runs.steps.map(({ run, shell }) => [run.includes("${{"), shell])).toEqual([
    [false, "bash"],
    [false, "bash"],
  ]);
});

it("runs a test suite on its tapes, and fails with what is missing", async () => {
  await record();
  const requestCount = server.requests.length;
  const replayed = await act({ task: "run", test, options: "--mode replay" });
  expect(replayed, replayed.output).toMatchObject({ code: 0, outputs: { "steps.task.outputs.code": "0" } });
  expect(replayed.output).toContain("2 played, 0 recorded");
  expect(replayed.summary).toContain("m-1");
  expect(server.requests).toHaveLength(requestCount);
  expect(await act({ task: "run", test: "true; echo $(echo quoted)" })).toMatchObject({
    code: 1,
    output: expect.stringMatching(/quoted[\s\S]*Recordings that were not used: 2, of which 2 are on tapes/),
  });
});

it("audits the models of tapes", async () => {
  await record();
  const audited = await act({ task: "audit", options: "--fail-within 30d" });
  expect(audited, audited.output).toMatchObject({ code: 0, summary: expect.stringContaining("m-1") });
});

it("names its tasks", async () => {
  const { code, output } = await act({ task: "replay" });
  expect([code, output]).toEqual([2, '::error::There is no task "replay". The tasks are run, audit and drift.\n']);
});

it("finds no drift, or opens a pull request with the recordings of the models that drifted alone", async () => {
  await record();
  const same = await act({ task: "drift", test, "pull-request": "true" });
  expect(same, same.output).toMatchObject({ code: 0, summary: expect.stringContaining("no differences") });

  changed = ["m-2"];
  expect(await act({ task: "drift", test })).toMatchObject({ code: 1, outputs: { "steps.task.outputs.code": "1" } });
  const renewed = await act({ task: "drift", test, "pull-request": "true" });
  expect(renewed, renewed.output).toMatchObject({
    code: 0,
    outputs: { "steps.task.outputs.code": "1", "steps.record.outputs.url": pullRequest },
    summary: expect.stringContaining("m-2"),
  });
  expect(pushedFiles()).toEqual(["tapes/suite-mjs/porto/001.cassette.json"]);
  expect(await readFile(join(folder, "gh"), "utf8")).toBe(
    [
      "pr list --head tapedeck/recordings --json url --jq .[0].url // empty",
      `pr create --head tapedeck/recordings --title Record tapes again --body-file ${folder}/tapedeck-drift.md\n`,
    ].join("\n"),
  );
  const requests = server.requests.map(({ body }) => JSON.parse(body) as unknown);
  expect(requests.at(-1)).toEqual(question("porto", "m-2"));
});

it("opens or updates a pull request with what was recorded, and fails, if a model has ended", async () => {
  await record();
  [ended, changed] = [["m-1"], ["m-2"]];
  const failure = "::error::The run failed. The tapes of tests that failed stayed as they were.";
  for (const action of ["create --head tapedeck/recordings --title Record tapes again", `edit ${pullRequest}`]) {
    const renewed = await act({ task: "drift", test, "pull-request": "true" });
    expect(renewed, renewed.output).toMatchObject({
      code: 1,
      outputs: { "steps.record.outputs.url": pullRequest },
      output: expect.stringContaining(failure),
    });
    expect(pushedFiles()).toEqual(["tapes/suite-mjs/porto/001.cassette.json"]);
    expect((await readFile(join(folder, "gh"), "utf8")).trim().split("\n").at(-1)).toBe(
      `pr ${action} --body-file ${folder}/tapedeck-drift.md`,
    );
    git("reset", "--quiet", "--hard", "HEAD~1");
  }
  ended.push("m-2");
  const unchanged = await act({ task: "drift", test, "pull-request": "true" });
  expect(unchanged, unchanged.output).toMatchObject({ code: 1, output: expect.stringContaining(failure) });
  expect(unchanged.outputs).not.toHaveProperty("steps.record.outputs.url");
});
